"""Who installs the wheel into a clean environment with pip, and looks whether all is there.

Its libraries are those of this environment, which the seal would not let it read: `make wheel`
installs them too.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv

import pytest

from tests.support.places import REPOSITORY, SAMPLE


@pytest.mark.slow
def test_a_wheel_is_built_installed_and_works(tmp_path):
    def run(*command: object, **variables: str) -> str:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [*map(str, command)], cwd=tmp_path, env={**environment, **variables},
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, REPOSITORY)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env")
    python = tmp_path / "env/bin/python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile")
    run(*pip, "--no-deps", wheel)
    packages = next((tmp_path / "env/lib").glob("python*")) / "site-packages"
    (packages / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")

    program = tmp_path / "env/bin/corpus-agent"
    assert "0.2.0" in run(program, "--version")
    assert str(packages) in run(python, "-c", "import corpus_agent; print(corpus_agent.__file__)")
    assert "corpus-agent" in run(program, "completion", "bash")
    assert "claude mcp add" in run(program, "mcp", "--print-config", "claude-code")
    doctor = run(program, "--unsealed", "doctor", CORPUS_AGENT_LLM="none")
    assert "ok   torch" in doctor
    assert "runs folders of --model and --reranker" in doctor
    shutil.copytree(SAMPLE / "home", tmp_path / "home")  # the index lies in the folder
    assert "added;" in run(program, "--unsealed", "index", "home", "--ocr", "off")
    assert "lease.md" in run(
        program, "--unsealed", "search", "notice to end the tenancy", "-k", "1"
    )

"""Build the wheel, install it alone into an empty environment, and run it there.

An import that pyproject.toml does not declare fails here: every module that any file of the wheel
imports, even inside a function, is imported in that environment.
"""

import ast
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

# What only the extras bring, each in one room by an import contract or a test.
OF_EXTRAS = frozenset(["PIL", "cv2", "pillow_heif", "pydantic_ai", "rapidocr"])
ROOT = Path(__file__).resolve().parent.parent.parent


def imported_modules(wheel: Path) -> list[str]:
    """Every module that the wheel's files name in an import, without those of extras; sorted."""
    names: set[str] = set()
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            if entry.endswith(".py"):
                for node in ast.walk(ast.parse(archive.read(entry))):
                    if isinstance(node, ast.Import):
                        names.update(alias.name for alias in node.names)
                    elif isinstance(node, ast.ImportFrom) and node.module:
                        names.add(node.module)
    return sorted(name for name in names if name.partition(".")[0] not in OF_EXTRAS)


def run(*command: str | Path) -> str:
    shown = " ".join(str(part) for part in command)
    done = subprocess.run([str(p) for p in command], capture_output=True, text=True, cwd="/")
    if done.returncode:
        sys.exit(f"FAILED: {shown[:200]}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "env")
        python = folder / "env/bin/python"
        pip = (sys.executable, "-m", "pip", "--python", python)
        # Compiling what nobody imports would take as long as all else here.
        run(*pip, "install", "-q", "--no-compile", "-c", ROOT / "constraints.txt", wheel)
        assert "Usage: corpus-agent" in run(folder / "env/bin/corpus-agent", "--help")
        modules = imported_modules(wheel)
        run(python, "-c", "\n".join(f"import {name}" for name in modules))
        print(f"wheel: --help works and all {len(modules)} imported modules are declared")


if __name__ == "__main__":
    main()

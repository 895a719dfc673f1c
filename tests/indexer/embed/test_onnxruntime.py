"""ONNX Runtime calls nobody and writes nothing; releases from 1.29 on would try to."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.places import REPOSITORY
from tests.support.side_files import PLACES, listing

pytestmark = pytest.mark.slow

# What the releases with a telemetry client hold, and those without do not.
TELEMETRY = (b"events.data.microsoft.com", b"OneCollector", b"sqlite3_", b"ORT_DISABLE_TELEMETRY")


def found_in(library: bytes) -> list[bytes]:
    return [mark for mark in TELEMETRY if mark in library]


def test_the_installed_library_holds_no_telemetry_client():
    spec = find_spec("onnxruntime")
    assert spec is not None
    assert spec.origin is not None
    libraries = sorted(Path(spec.origin).parent.glob("capi/*.so*"))
    content = b"".join(path.read_bytes() for path in libraries)
    assert found_in(content) == []
    # The controls: these are the libraries that compute, and a client would be seen.
    assert b"DynamicQuantizeMatMul" in content
    assert found_in(content + b"https://mobile.events.data.microsoft.com/OneCollector") != []


def test_importing_it_and_encoding_writes_no_file(tmp_path):
    for name in PLACES.values():
        (tmp_path / name).mkdir(parents=True)
    code = (
        "import os, sys\n"
        "from indexer.embed import FolderEncoder\n"
        "FolderEncoder().encode(['x', 'y'])\n"
        "assert 'onnxruntime' in sys.modules and os.environ['ORT_DISABLE_TELEMETRY'] == '1'\n"
        "if sys.argv[1:]: open(os.path.join(os.environ['HOME'], 'device-id'), 'w').close()"
    )
    variables = {name: str(tmp_path / place) for name, place in PLACES.items()}
    environment = {**os.environ, **variables, "PYTHONPATH": str(REPOSITORY)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    before = listing(tmp_path)
    for control in ((), ("control",)):
        done = subprocess.run(
            [sys.executable, "-c", code, *control],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert (listing(tmp_path) != before) == bool(control)

"""ONNX Runtime calls nobody; releases from 1.29 on would try to. Side files: test_side_files."""

from importlib.util import find_spec
from pathlib import Path

import pytest

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

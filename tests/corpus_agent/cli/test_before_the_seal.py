"""What the command line imports before the process is sealed."""

import subprocess
import sys

from tests.support.places import REPOSITORY

HEAVY = ("numpy", "lancedb", "pyarrow", "lxml", "pathspec", "onnxruntime", "mcp", "uvicorn")


def test_no_library_that_starts_threads_is_imported_before_the_seal():
    code = f"import sys, {{}}; print([name for name in {HEAVY} if name in sys.modules])"
    for module, found in (("corpus_agent.cli", "[]\n"), ("numpy", "['numpy']\n")):  # the control
        command = [sys.executable, "-c", code.format(module)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
        assert done.stdout == found, done.stderr

"""What is imported before the process is sealed: by the commands, and by who imports the API."""

import subprocess
import sys

from tests.support.places import REPOSITORY

HEAVY = """
numpy lancedb pyarrow lxml pathspec onnxruntime mcp uvicorn torch sentence_transformers tokenizers
openai pydantic_ai pypdf watchfiles
"""
BEFORE = ("corpus_agent.cli", "corpus_agent.api", "corpus_agent.doctor.checks")
LOOK = f"""
import os, signal, sys, threading
before = dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()]
import {{}}
changed = before != (dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()])
loaded = [name for name in {HEAVY.split()} if name in sys.modules]
print(loaded, changed, threading.active_count())
"""


def test_no_library_that_starts_threads_is_imported_before_the_seal():
    found = {}
    for module in (*BEFORE, "numpy"):  # the last is the control
        command = [sys.executable, "-c", LOOK.format(module)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
        found[module] = done.stdout.strip() or done.stderr
    assert found.pop("numpy").startswith("['numpy']")
    assert set(found.values()) == {"[] False 1"}, found

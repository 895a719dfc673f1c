"""A parent agent that works in a folder and asks a librarian about documents; runs offline.

    python examples/parent_agent.py [STORE]

The parent holds file tools, and a librarian answers from an index in a sealed process of its own.
STORE is an index; without one, the index of sample_corpus is made first. The parent's decisions are
a script here, so the run is the same each time; put a model in its place to have one that thinks:
`openai_schemas(tools)` and `function_schema()` are what it is told, `call` what runs its calls.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from corpus_agent.librarian import Librarian, call
from corpus_agent.workspace import FileTools, Proposal, Workspace

ROOT = Path(__file__).parent.parent
LETTER = """\
Dear Mr Pellow,

we give notice to end the tenancy, with NOTICE PERIOD.
"""
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("glob", {"pattern": "*.txt"}),
    ("ask_corpus", {"question": "How many months' notice does the tenant have to give?"}),
    ("read", {"path": "letter.txt"}),
    (
        "edit",
        {
            "path": "letter.txt",
            "old_string": "NOTICE PERIOD",
            "new_string": "two months' notice in writing",
        },
    ),
)


def say_yes(proposal: Proposal) -> bool:
    """Where a person would be asked."""
    print(f"\n{proposal}? yes")
    return True


def main(folder: Path, librarian: Librarian) -> None:
    """Print each call of the parent and what it gave."""
    (folder / "letter.txt").write_text(LETTER)
    files = {tool.name: tool for tool in FileTools(Workspace(folder), confirm=say_yes).tools()}
    for name, arguments in STEPS:
        result = files[name].call(arguments) if name in files else call(librarian, arguments)
        text = "\n".join(f"    {line}" for line in str(result).splitlines())
        print(f"\n{name} {json.dumps(arguments)}\n{text}")
    print(f"\nletter.txt:\n{(folder / 'letter.txt').read_text()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        index = Path(sys.argv[1]).resolve() if sys.argv[1:] else Path(scratch) / "store"
        if not sys.argv[1:]:
            command = [sys.executable, "-m", "corpus_agent", "--store", str(index), "index"]
            subprocess.run([*command, "sample_corpus"], check=True, cwd=ROOT)
        desk = Path(scratch) / "desk"
        desk.mkdir()
        with Librarian(index, llm="none", parent_tools=["read", "glob", "grep", "edit"]) as sealed:
            main(desk, sealed)

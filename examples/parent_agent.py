"""A parent agent that works in a folder and asks a librarian about documents; runs offline.

    python examples/parent_agent.py [STORE]

The parent holds file tools and may ask two agents: the librarian, which answers from an index in a
sealed process of its own, and a file miner. STORE is an index; without one, the index of
sample_corpus is made first. Both models are scripts here, so the run is the same each time; put a
model of pydantic-ai in their place to have one that thinks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from corpus_agent.librarian import Librarian
from corpus_agent.workspace import (
    FILE_MINER,
    FileTools,
    Persona,
    Proposal,
    Tool,
    Workspace,
    agent_tool,
    librarian,
    model_agent,
    trifecta,
)

ROOT = Path(__file__).parent.parent
PARENT = Persona(
    "parent",
    "Works in a folder, and asks others about what it cannot know.",
    ("read", "glob", "grep", "edit", "write", "agent"),
    "You work in the user's folder. Ask the librarian about documents, the file miner about files.",
    20,
)
LETTER = """\
Dear Mr Pellow,

we give notice to end the tenancy, with NOTICE PERIOD.
"""


def scripted(*steps: tuple[str, dict[str, Any]] | str) -> FunctionModel:
    """A model that makes these calls one after the other and ends with the text."""
    remaining = iter(steps)

    def next_step(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        step = next(remaining)
        part = TextPart(step) if isinstance(step, str) else ToolCallPart(*step)
        return ModelResponse(parts=[part])

    return FunctionModel(next_step)


def parent_model() -> FunctionModel:
    """What the parent does: look, ask both agents, change the letter."""
    question = "How many months' notice does the tenant have to give?"
    return scripted(
        ("glob", {"pattern": "*.txt"}),
        ("agent", {"name": "librarian", "task": question}),
        ("agent", {"name": "file_miner", "task": "Where is the notice period left open?"}),
        ("read", {"path": "letter.txt"}),
        (
            "edit",
            {
                "path": "letter.txt",
                "old_string": "NOTICE PERIOD",
                "new_string": "two months' notice in writing",
            },
        ),
        "The letter names the notice period of the lease, two months in writing.",
    )


def miner_model() -> FunctionModel:
    """What the file miner does: one search."""
    return scripted(("grep", {"pattern": "NOTICE PERIOD"}), "In letter.txt:3.")


def shown(tool: Tool) -> Tool:
    """The tool, with every call and what it gave printed."""

    def run(**arguments: Any) -> Any:  # noqa: ANN401
        result = tool.run(**arguments)
        text = "\n".join(f"    {line}" for line in str(result).splitlines())
        print(f"\n{tool.name} {json.dumps(arguments)}\n{text}")
        return result

    return replace(tool, run=run)


def say_yes(proposal: Proposal) -> bool:
    """Where a person would be asked."""
    print(f"\nwrite {proposal.path}? yes")
    return True


def main(folder: Path, sealed: Librarian) -> None:
    """Print the verdict, then the run."""
    (folder / "letter.txt").write_text(LETTER)
    workspace = Workspace(folder)
    keeper = librarian(sealed.ask)
    miner = model_agent(FILE_MINER, lambda: FileTools(workspace).tools(), miner_model)

    def tools() -> list[Tool]:
        own = FileTools(workspace, confirm=say_yes).tools()
        return [shown(tool) for tool in (*own, agent_tool([keeper, miner]))]

    parent = model_agent(PARENT, tools, parent_model)
    for agent in (parent, keeper, miner):
        print(trifecta(agent))
    answer = parent.run("Fill in what is left open in the letter.")
    print(f"\n{answer}\n\nletter.txt:\n{(folder / 'letter.txt').read_text()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        index = Path(sys.argv[1]).resolve() if sys.argv[1:] else Path(scratch) / "store"
        if not sys.argv[1:]:
            command = [sys.executable, "-m", "corpus_agent", "--store", str(index), "index"]
            subprocess.run([*command, "sample_corpus"], check=True, cwd=ROOT)
        desk = Path(scratch) / "desk"
        desk.mkdir()
        with Librarian(index, llm="none", parent_tools=PARENT.tools) as sealed:
            main(desk, sealed)

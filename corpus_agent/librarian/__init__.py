"""The librarian: a sub-agent over private documents for an agent that may have a network.

    with Librarian("docs/.corpus-agent") as librarian:
        answer = librarian.ask("When does the lease end?")

It runs in a process of its own that is sealed; the parent's process keeps its rights. What crosses
back is one structured answer, cleaned and marked as tainted, never the transcript.

    frames    a length and a JSON object, over a pipe
    child     the sealed process
    process   the parent's end of it, which believes nothing
    client    Librarian and its answers
    adapters  the librarian as a tool of other agents

Does not show that an answer is true, and cannot keep a parent's model from believing what it says.
"""

from corpus_agent.librarian.adapters import (
    call,
    call_async,
    function_schema,
    pydantic_ai_tool,
)
from corpus_agent.librarian.client import Librarian, LibrarianAnswer
from corpus_agent.librarian.process import LibrarianFailed, LibrarianTimeout

__all__ = [
    "Librarian",
    "LibrarianAnswer",
    "LibrarianFailed",
    "LibrarianTimeout",
    "call",
    "call_async",
    "function_schema",
    "pydantic_ai_tool",
]

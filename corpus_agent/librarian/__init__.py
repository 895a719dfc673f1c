"""The librarian: a sub-agent over private documents for an agent that may have a network.

    with Librarian("docs/.corpus-agent") as librarian:
        answer = librarian.ask("When does the lease end?")

It runs in a sealed process of its own; the parent's process keeps its rights. It returns one
structured answer, sanitised and marked as tainted, never the transcript.

    child     the sealed process
    process   the parent's end of it, which trusts nothing from the child
    client    Librarian, its answers, and itself as a tool of other agents

Does not prove that an answer is true, and cannot keep a parent's model from following it.
"""

from corpus_agent.librarian.client import (
    Librarian,
    LibrarianAnswer,
    call,
    call_async,
    function_schema,
    pydantic_ai_tool,
)
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

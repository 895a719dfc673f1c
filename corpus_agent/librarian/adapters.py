"""Adapters of the librarian for other agents, one for each kind of loop.

They all return text to the model: the framed answer, or one that begins with `Error:`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from corpus_agent.render.for_parent import NAME, SPEC, disarmed
from corpus_agent.text.sanitize import message
from corpus_agent.tools.result import ToolResult, failure
from corpus_agent.tools.toolbox import check_arguments
from indexer import CorpusError

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool

    from corpus_agent.librarian.client import Librarian


def function_schema() -> dict[str, Any]:
    """The tool as the `tools` of an OpenAI-style request list it."""
    return {
        "type": "function",
        "function": {
            "name": SPEC.name,
            "description": SPEC.description,
            "parameters": dict(SPEC.schema),
        },
    }


def call(librarian: Librarian, arguments: Mapping[str, Any] | str) -> str:
    """The result of a call for the model; `arguments` is an object or its JSON."""
    checked = check_arguments(SPEC, arguments)
    if isinstance(checked, ToolResult):
        return checked.text
    try:
        return librarian.ask(checked["question"]).for_model()
    except CorpusError as error:
        return failure(message(str(error)), code=error.code).text


async def call_async(librarian: Librarian, arguments: Mapping[str, Any] | str) -> str:
    """As `call`, without blocking the event loop; a task that is cancelled stops its question."""
    checked = check_arguments(SPEC, arguments)
    if isinstance(checked, ToolResult):
        return checked.text
    try:
        return (await librarian.ask_async(checked["question"])).for_model()
    except CorpusError as error:
        return failure(message(str(error)), code=error.code).text


def pydantic_ai_tool(librarian: Librarian) -> Tool[Any]:
    """The tool for a pydantic-ai agent; answers have the names of its other tools broken."""
    from pydantic_ai import Tool

    async def ask_corpus(ctx: RunContext[Any], **arguments: Any) -> str:  # noqa: ANN401
        text = await call_async(librarian, arguments)
        manager = ctx.tool_manager
        others = set(manager.tools or ()) - {NAME} if manager is not None else set()
        return disarmed(text, others)

    return Tool.from_schema(
        ask_corpus, SPEC.name, SPEC.description, dict(SPEC.schema), takes_ctx=True
    )

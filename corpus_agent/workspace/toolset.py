"""Tools as records: their description for a model, and their function."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_agent.tools.corpus import ToolResult
from corpus_agent.tools.toolbox import ToolSpec, check_arguments
from corpus_agent.workspace.reading import Attachment

if TYPE_CHECKING:
    from pydantic_ai import FunctionToolset
    from pydantic_ai import Tool as PydanticTool


class ErrorText(str):
    """Text from `Error:` on for a model; `code` is the reason for a program, as in "stale_read"."""

    code: str

    def __new__(cls, text: str, code: str) -> ErrorText:
        """The text with its code."""
        made = super().__new__(cls, text)
        made.code = code
        return made


Result = str | Attachment


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: `run` takes the arguments of the schema and returns text, also that of an error."""

    spec: ToolSpec
    run: Callable[..., Result]

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        return self.spec.name

    def call(self, arguments: Mapping[str, Any] | str | None) -> Result:
        """The result for arguments as a model writes them; `Error:` and why for invalid ones."""
        checked = check_arguments(self.spec, arguments)
        if isinstance(checked, ToolResult):
            return ErrorText(checked.text, checked.code)
        return self.run(**checked)


def openai_schemas(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools for the field `tools` of a chat request to an OpenAI-compatible server."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.spec.description,
                "parameters": dict(tool.spec.schema),
            },
        }
        for tool in tools
    ]


def openai_content(result: Result) -> str | list[dict[str, Any]]:
    """A result as the content of such a message: text, or text and an image."""
    if isinstance(result, str):
        return result
    data = base64.b64encode(result.data).decode()
    url = f"data:{result.media_type};base64,{data}"
    return [
        {"type": "text", "text": result.note},
        {"type": "image_url", "image_url": {"url": url}},
    ]


def pydantic_toolset(tools: Iterable[Tool]) -> FunctionToolset[object]:
    """The tools as a toolset of pydantic-ai, which is imported by this call."""
    from pydantic_ai import FunctionToolset

    return FunctionToolset([_pydantic_tool(tool) for tool in tools])


def _pydantic_tool(tool: Tool) -> PydanticTool[object]:
    from pydantic_ai import BinaryContent, ToolReturn
    from pydantic_ai import Tool as PydanticTool

    def call(**arguments: Any) -> str | ToolReturn[str]:  # noqa: ANN401
        result = tool.call(arguments)
        if isinstance(result, str):
            return result
        content = BinaryContent(result.data, media_type=result.media_type)
        return ToolReturn(result.note, content=[content])

    schema = dict(tool.spec.schema)
    return PydanticTool.from_schema(call, tool.name, tool.spec.description, schema)

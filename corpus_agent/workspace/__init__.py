"""File tools for a PARENT agent, over one workspace; never given to the corpus agent.

The corpus agent and the librarian have vectordb_search and vectordb_read only, and no module
outside this package imports it.
"""

from __future__ import annotations

import base64
import functools
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from corpus_agent.tools.corpus import ToolResult
from corpus_agent.tools.toolbox import ToolSpec, check_arguments, tool_specs
from corpus_agent.workspace import reading, search, writing
from corpus_agent.workspace.reading import Attachment, Ledger
from corpus_agent.workspace.ripgrep import find_ripgrep
from corpus_agent.workspace.roots import Workspace
from corpus_agent.workspace.writing import Confirm, Proposal
from indexer import MAX_WINDOW_LINES, Refused

if TYPE_CHECKING:
    from pydantic_ai import FunctionToolset
    from pydantic_ai import Tool as PydanticTool

__all__ = [
    "Attachment",
    "ErrorText",
    "FileTools",
    "Proposal",
    "Tool",
    "Workspace",
    "openai_content",
    "openai_schemas",
    "pydantic_toolset",
]


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


_P = ParamSpec("_P")
_R = TypeVar("_R", bound=Result)


def _answered(
    work: Callable[Concatenate[FileTools, _P], _R],
) -> Callable[Concatenate[FileTools, _P], _R | str]:
    """Turns Refused into text from `Error:` on; one call at a time: models make several."""

    @functools.wraps(work)
    def answered(self: FileTools, /, *args: _P.args, **kwargs: _P.kwargs) -> _R | str:
        with self._turn:
            try:
                return work(self, *args, **kwargs)
            except Refused as refused:
                return ErrorText(f"Error: {refused}", refused.code)

    return answered


class FileTools:
    """The tools for one conversation; each is also a method."""

    def __init__(self, workspace: Workspace, confirm: Confirm | None = None) -> None:
        """`confirm` asks a person; without it there is no `write`, and no `edit` of a file that
        other programs execute or follow without being asked.

        Raises CorpusError where ripgrep is missing, SealUnavailable where it cannot be confined.
        """
        self._workspace = workspace
        self._confirm = confirm
        self._ripgrep = find_ripgrep()
        self._ledger = Ledger()
        self._turn = threading.RLock()  # confirm may call a tool

    def tools(self) -> tuple[Tool, ...]:
        """The tools as records, for a model."""
        specs = tool_specs(Path(__file__).with_name("tools.toml"))
        tools = [Tool(spec, getattr(self, spec.name)) for spec in specs]
        return tuple(tool for tool in tools if tool.name != "write" or self._confirm is not None)

    def forget_windows(self) -> None:
        """Allow windows to be returned again, after the conversation was shortened."""
        self._ledger.forget_windows()

    @_answered
    def read(self, path: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Result:
        """Lines as `cat -n` prints them, an image as an attachment, or text from `Error:` on."""
        return reading.read(self._workspace, self._ledger, path, offset, limit)

    @_answered
    def glob(self, pattern: str, path: str = ".") -> str:
        """Paths below the folder `path`, the newest first, one a line, or text from `Error:` on."""
        return search.glob(self._workspace, self._ripgrep, pattern, path)

    @_answered
    def grep(
        self,
        pattern: str,
        path: str = ".",
        glob: str | None = None,
        mode: search.Mode = "content",
        ignore_case: bool = False,
    ) -> str:
        """Lines, files or counts that match, sorted by path, or text from `Error:` on."""
        return search.grep(self._workspace, self._ripgrep, pattern, path, glob, mode, ignore_case)

    @_answered
    def edit(self, path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        """What was replaced and where, or text from `Error:` on."""
        return writing.edit(
            self._workspace,
            self._ledger,
            self._confirm,
            path,
            old_string,
            new_string,
            replace_all,
        )

    @_answered
    def write(self, path: str, content: str) -> str:
        """What was written, or text from `Error:` on."""
        if self._confirm is None:
            raise Refused(
                "Nobody can be asked, so nothing is written.", "Use edit.", code="not_allowed"
            )
        return writing.write(self._workspace, self._ledger, self._confirm, path, content)

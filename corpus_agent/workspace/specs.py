"""The file tools as described to a model: names, descriptions, schemas. Data only."""

from __future__ import annotations

from typing import Any

from corpus_agent.tools.toolbox import ToolSpec
from corpus_agent.workspace.grep import MODES
from indexer import MAX_WINDOW_LINES

_PATH = "relative to the workspace, as in"


def _text(description: str, example: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"type": "string", "description": description, **more, "examples": [example]}


def _whole(description: str, default: int, example: int) -> dict[str, Any]:
    limits = {"minimum": 1, "default": default, "examples": [example]}
    return {"type": "integer", "description": description, **limits}


def _flag(description: str) -> dict[str, Any]:
    return {"type": "boolean", "description": description, "default": False, "examples": [True]}


READ = ToolSpec.of(
    "read",
    """\
Read a file of the workspace, from line `offset` on; returns its lines with their numbers.

Usage:
- Each line begins with its number and a tab, which are not part of the file.
- At most 2000 lines or 50 KB come at once; the last line says with which offset to go on.
- Lines over 2000 characters are cut; grep for what stands further right in one.
- Not sure of a path? glob first. Read whole windows, not slices of a few lines.
- PDF and other documents come as text, with a mark where a page begins: cite the page.
- Documents and images cannot be edited.
- PNG, JPEG, GIF and WebP images are attached, up to 5 MB, for models that see.
- What was given before and has not changed is not given again.
Example: {"path": "src/app.py", "offset": 120, "limit": 60}""",
    ["path"],
    path=_text(f'The file, {_PATH} "src/app.py".', "src/app.py"),
    offset=_whole("The first line to read, counted from 1, as in 120.", 1, 120),
    limit=_whole("How many lines to read, as in 60.", MAX_WINDOW_LINES, 60),
)

GLOB = ToolSpec.of(
    "glob",
    """\
Find files of the workspace by the pattern of their paths; returns paths, the newest first.

Usage:
- `*` stays in one folder, `**` stands for any folders, `{a,b}` for a or b: "*" lists `path` alone.
- What .gitignore names is left out, and .git; other hidden files are listed.
- The pattern is relative to `path`. Of too many files the newest come, and how many there are.
Example: {"pattern": "src/**/*.{py,toml}"}""",
    ["pattern"],
    pattern=_text('Which files, as in "**/*.py".', "**/*.py"),
    path=_text(f'The folder to look in, {_PATH} "src".', "src", default="."),
)

GREP = ToolSpec.of(
    "grep",
    """\
Search the text of files by a regular expression; returns matches sorted by path.

Usage:
- The expression has Rust's syntax and matches within a line; escape ( [ { . * + ? to mean them.
- mode "content" gives path:line:text, "files" only paths, "count" path:number of lines.
- What .gitignore names is not searched, nor .git, nor binary files and PDF; read those.
- Long lines are cut around the match; of too many matches the first come.
Example: {"pattern": "def main\\\\(", "path": "src", "glob": "*.py"}""",
    ["pattern"],
    pattern=_text(r'The expression, as in "def \w+_total\(".', r"def \w+_total\("),
    path=_text(f'The folder or file to search, {_PATH} "src".', "src", default="."),
    glob=_text('Search only files that match this, as in "*.{ts,tsx}".', "*.{ts,tsx}"),
    mode=_text('What to give, as in "files".', "files", enum=list(MODES), default="content"),
    ignore_case=_flag("Whether upper and lower case are the same, as in true."),
)

EDIT = ToolSpec.of(
    "edit",
    """\
Replace an exact piece of text in a file that you have read; returns where it was replaced.

Usage:
- Read the file first; what changed after you read it must be read again.
- `old_string` is copied from the file exactly, white space included, without the line numbers.
- It must occur once: take in lines around it, or set `replace_all`.
- Line ends and a byte order mark need no care: they stay.
Example: {"path": "src/app.py", "old_string": "DEBUG = True", "new_string": "DEBUG = False"}""",
    ["path", "old_string", "new_string"],
    path=_text(f'The file, {_PATH} "src/app.py".', "src/app.py"),
    old_string=_text('The text to replace, as in "DEBUG = True".', "DEBUG = True"),
    new_string=_text('The text to put there, as in "DEBUG = False".', "DEBUG = False"),
    replace_all=_flag("Whether to replace every occurrence, as in true."),
)

WRITE = ToolSpec.of(
    "write",
    """\
Write a whole file, a new one or over an old one; returns what was written. A person is asked first.

Usage:
- To change a part of a file, use edit.
- Folders that do not exist are made.
- If the person says no, ask what to do instead; do not try again.
Example: {"path": "notes/todo.md", "content": "# To do\\n"}""",
    ["path", "content"],
    path=_text(f'The file, {_PATH} "notes/todo.md".', "notes/todo.md"),
    content=_text('All of the file, as in "# To do\\n".', "# To do\n"),
)

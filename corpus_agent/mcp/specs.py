"""What an MCP client's model is told of each tool, and the schemas. Pure.

`vectordb_search` has more arguments here than that of our own model, which has one.
"""

from __future__ import annotations

from typing import Any

from corpus_agent.mcp import tables
from corpus_agent.render import for_parent
from corpus_agent.tools import search
from corpus_agent.tools.toolbox import SPECS, ToolSpec

MAX_HITS = 50
PAGE_OF_SOURCES = 100
_CHOOSING: dict[str, Any] = {
    "path": {
        "type": "string",
        "description": 'Only documents below this folder, or a glob: "contracts/", "*.pdf"',
    },
    "where": {
        "type": "string",
        "description": 'Only such documents: "type=pdf date>=2024-03 tag:tax language=de"',
    },
}


SEARCH = ToolSpec.of(
    search.NAME,
    search.DESCRIPTION.replace(
        "\nExample:",
        "\n- k, path and where narrow it down; list_sources says what there is.\nExample:",
    ),
    ["query"],
    **search.SCHEMA["properties"],
    k={"type": "integer", "description": f"How many passages, 1 to {MAX_HITS}. Default: 5"},
    **_CHOOSING,
)
SOURCES = ToolSpec.of(
    "list_sources",
    """\
List the user's documents with size, date and title, in pages.

Usage:
- Use it to learn which folders and documents there are, or how a document is called.
Example: {"path": "contracts/"}""",
    [],
    **_CHOOSING,
    offset={"type": "integer", "description": "The first document, from 1; to list on"},
)
STATUS = ToolSpec.of(
    "corpus_status",
    """\
Say what the index of the user's documents holds, which files could not be read, and who answers.

Usage:
- Use it when something is not found: it may be in a file that could not be read.
Example: {}""",
    [],
)
ASK = ToolSpec.of(
    for_parent.NAME,
    for_parent.DESCRIPTION,
    ["question"],
    **for_parent.SCHEMA["properties"],
    quotes_only={
        "type": "boolean",
        "description": "Answer in whole sentences of the documents alone. Default: false",
    },
)
TOOLS = (SEARCH, SPECS[1], ASK, tables.TABLE, SOURCES, STATUS)

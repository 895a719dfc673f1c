"""File tools for a PARENT agent; never given to the corpus agent.

The corpus agent and the librarian have vectordb_search and vectordb_read only, and no module
outside this package imports it.
"""

from corpus_agent.workspace.files import (
    ErrorText,
    FileTools,
    Tool,
    openai_content,
    openai_schemas,
    pydantic_toolset,
)
from corpus_agent.workspace.reading import Attachment
from corpus_agent.workspace.roots import Workspace
from corpus_agent.workspace.writing import Proposal

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

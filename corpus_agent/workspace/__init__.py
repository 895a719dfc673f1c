"""File tools and sub-agents for a PARENT agent; never given to the corpus agent.

The corpus agent and the librarian have vectordb_search and vectordb_read only, and no module
outside this package imports it. pydantic-ai is imported when a model runs.
"""

from corpus_agent.workspace.files import FileTools
from corpus_agent.workspace.personas import (
    FILE_MINER,
    LIBRARIAN,
    Agent,
    Persona,
    agent_tool,
    file_agent,
    librarian,
    model_agent,
)
from corpus_agent.workspace.reading import Attachment
from corpus_agent.workspace.roots import Workspace
from corpus_agent.workspace.running import Step, Task, Team
from corpus_agent.workspace.toolset import (
    Adds,
    ErrorText,
    Leg,
    Tool,
    openai_content,
    openai_schemas,
    pydantic_toolset,
)
from corpus_agent.workspace.trifecta import Grade, Verdict, trifecta
from corpus_agent.workspace.writing import Proposal

__all__ = [
    "FILE_MINER",
    "LIBRARIAN",
    "Adds",
    "Agent",
    "Attachment",
    "ErrorText",
    "FileTools",
    "Grade",
    "Leg",
    "Persona",
    "Proposal",
    "Step",
    "Task",
    "Team",
    "Tool",
    "Verdict",
    "Workspace",
    "agent_tool",
    "file_agent",
    "librarian",
    "model_agent",
    "openai_content",
    "openai_schemas",
    "pydantic_toolset",
    "trifecta",
]

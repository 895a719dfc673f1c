"""Results as JSON objects and as lines for people. Pure: takes records, returns values.

The keys are a contract (docs/json.md): they are added to, never renamed. All text that comes from
documents goes through sanitize.py here.
"""

from corpus_agent.render.answers import answer_lines, answer_object, citation_lines
from corpus_agent.render.common import SCHEMA_VERSION, as_object, names, place, searched
from corpus_agent.render.files import file_line, file_object, problem_line
from corpus_agent.render.indexing import (
    index_lines,
    index_object,
    plan_lines,
    plan_object,
    run_object,
    watch_line,
)
from corpus_agent.render.passages import (
    explain_lines,
    read_object,
    search_lines,
    search_object,
    window_lines,
)
from corpus_agent.render.receipts import CheckedReceipt, verify_lines, verify_object
from corpus_agent.render.upkeep import (
    cleanup_lines,
    cleanup_object,
    forget_lines,
    forget_object,
    status_lines,
    status_object,
)

__all__ = [
    "SCHEMA_VERSION",
    "CheckedReceipt",
    "answer_lines",
    "answer_object",
    "as_object",
    "citation_lines",
    "cleanup_lines",
    "cleanup_object",
    "explain_lines",
    "file_line",
    "file_object",
    "forget_lines",
    "forget_object",
    "index_lines",
    "index_object",
    "names",
    "place",
    "plan_lines",
    "plan_object",
    "problem_line",
    "read_object",
    "run_object",
    "search_lines",
    "search_object",
    "searched",
    "status_lines",
    "status_object",
    "verify_lines",
    "verify_object",
    "watch_line",
    "window_lines",
]

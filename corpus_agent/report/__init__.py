"""Results as JSON objects and as lines for people. Pure: takes records, returns values.

The keys are a contract (docs/json.md): they are added to, never renamed. All text that comes from
documents goes through clean.py here.
"""

from corpus_agent.report.answers import (
    answer_lines,
    answer_object,
    citation_lines,
)
from corpus_agent.report.files import (
    file_line,
    file_object,
    problem_line,
)
from corpus_agent.report.frame import (
    SCHEMA_VERSION,
    as_object,
    names,
    place,
    searched,
)
from corpus_agent.report.indexing import (
    index_lines,
    index_object,
    plan_lines,
    plan_object,
    watch_line,
)
from corpus_agent.report.passages import (
    explain_lines,
    read_object,
    search_lines,
    search_object,
    window_lines,
)
from corpus_agent.report.receipts import (
    CheckedReceipt,
    verify_lines,
    verify_object,
)
from corpus_agent.report.upkeep import (
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

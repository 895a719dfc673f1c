"""Results as JSON objects (docs/json.md) and as lines of text, sanitised; loaded on first use."""

from typing import TYPE_CHECKING

from corpus_agent import lazy_names

_PUBLIC = {
    "corpus_agent.render.answers": (
        "SCREEN about answer_foot_lines answer_lines answer_object block explain_lines "
        "export_markdown headed near read_object search_lines search_object"
    ),
    "corpus_agent.render.checked": (
        "checked_foot checked_html checked_lines checked_markdown checked_object marked_pieces "
        "receipt_lines receipts_object recorded_answer"
    ),
    "corpus_agent.render.common": "as_object local_time stores_read under",
    "corpus_agent.render.fields": (
        "counted_line foot_lines left_lines list_lines table_csv table_lines table_object "
        "timeline_lines timeline_object"
    ),
    "corpus_agent.render.index": (
        "excluded_line excluded_object file_line file_object files_object index_lines plan_lines "
        "plan_object progress_line run_object store_lines why_unread forget_lines forget_object"
    ),
    "corpus_agent.render.stores": (
        "not_read status_lines status_object stores_lines stores_object trust_lines trust_object "
        "waiting_text"
    ),
}
__all__ = [name for names in _PUBLIC.values() for name in names.split()]

if TYPE_CHECKING:  # type checkers see every public name of these
    from corpus_agent.render.answers import *  # noqa: F403
    from corpus_agent.render.checked import *  # noqa: F403
    from corpus_agent.render.common import *  # noqa: F403
    from corpus_agent.render.fields import *  # noqa: F403
    from corpus_agent.render.index import *  # noqa: F403
    from corpus_agent.render.stores import *  # noqa: F403
else:
    __getattr__ = lazy_names(__name__, _PUBLIC)

"""Results as JSON objects and as lines of text. Pure: takes records, returns values.

The keys are a contract (docs/json.md): keys are added, never renamed. All text from documents is
sanitised here by text/sanitize.py.

Public names are imported on first use, so that importing the package before the seal loads no
module of it.
"""

from typing import TYPE_CHECKING

from corpus_agent import lazy_names

_PUBLIC = {
    "corpus_agent.render.answers": (
        "answer_lines answer_object block citation_lines resumed_lines"
    ),
    "corpus_agent.render.common": "as_object evidence names place stores_read",
    "corpus_agent.render.export": "export_markdown exported_answer exported_receipt",
    "corpus_agent.render.fields": (
        "foot_lines list_lines list_object table_csv table_lines table_object timeline_lines "
        "timeline_object"
    ),
    "corpus_agent.render.files": (
        "excluded_line excluded_object file_line file_object files_object problem_line"
    ),
    "corpus_agent.render.indexing": (
        "duration file_progress_line index_lines store_lines index_object page_line plan_lines "
        "plan_object run_object waiting_line watch_line"
    ),
    "corpus_agent.render.links": "Link link_below no_link",
    "corpus_agent.render.passages": (
        "explain_lines read_object search_lines search_object window_lines"
    ),
    "corpus_agent.render.receipts": "recorded_answer verify_lines verify_object",
    "corpus_agent.render.trusting": "stores_lines stores_object trust_lines trust_object",
    "corpus_agent.render.upkeep": (
        "LIST_OF_IGNORED MULTILINGUAL forget_lines forget_object "
        "not_read status_lines status_object waiting_text what_reads_them"
    ),
}
__all__ = [name for names in _PUBLIC.values() for name in names.split()]

if TYPE_CHECKING:
    from corpus_agent.render.answers import answer_lines as answer_lines
    from corpus_agent.render.answers import answer_object as answer_object
    from corpus_agent.render.answers import block as block
    from corpus_agent.render.answers import citation_lines as citation_lines
    from corpus_agent.render.answers import resumed_lines as resumed_lines
    from corpus_agent.render.common import as_object as as_object
    from corpus_agent.render.common import evidence as evidence
    from corpus_agent.render.common import names as names
    from corpus_agent.render.common import place as place
    from corpus_agent.render.common import stores_read as stores_read
    from corpus_agent.render.export import export_markdown as export_markdown
    from corpus_agent.render.export import exported_answer as exported_answer
    from corpus_agent.render.export import exported_receipt as exported_receipt
    from corpus_agent.render.fields import foot_lines as foot_lines
    from corpus_agent.render.fields import list_lines as list_lines
    from corpus_agent.render.fields import list_object as list_object
    from corpus_agent.render.fields import table_csv as table_csv
    from corpus_agent.render.fields import table_lines as table_lines
    from corpus_agent.render.fields import table_object as table_object
    from corpus_agent.render.fields import timeline_lines as timeline_lines
    from corpus_agent.render.fields import timeline_object as timeline_object
    from corpus_agent.render.files import excluded_line as excluded_line
    from corpus_agent.render.files import excluded_object as excluded_object
    from corpus_agent.render.files import file_line as file_line
    from corpus_agent.render.files import file_object as file_object
    from corpus_agent.render.files import files_object as files_object
    from corpus_agent.render.files import problem_line as problem_line
    from corpus_agent.render.indexing import duration as duration
    from corpus_agent.render.indexing import file_progress_line as file_progress_line
    from corpus_agent.render.indexing import index_lines as index_lines
    from corpus_agent.render.indexing import index_object as index_object
    from corpus_agent.render.indexing import page_line as page_line
    from corpus_agent.render.indexing import plan_lines as plan_lines
    from corpus_agent.render.indexing import plan_object as plan_object
    from corpus_agent.render.indexing import run_object as run_object
    from corpus_agent.render.indexing import store_lines as store_lines
    from corpus_agent.render.indexing import waiting_line as waiting_line
    from corpus_agent.render.indexing import watch_line as watch_line
    from corpus_agent.render.links import Link as Link
    from corpus_agent.render.links import link_below as link_below
    from corpus_agent.render.links import no_link as no_link
    from corpus_agent.render.passages import explain_lines as explain_lines
    from corpus_agent.render.passages import read_object as read_object
    from corpus_agent.render.passages import search_lines as search_lines
    from corpus_agent.render.passages import search_object as search_object
    from corpus_agent.render.passages import window_lines as window_lines
    from corpus_agent.render.receipts import recorded_answer as recorded_answer
    from corpus_agent.render.receipts import verify_lines as verify_lines
    from corpus_agent.render.receipts import verify_object as verify_object
    from corpus_agent.render.trusting import stores_lines as stores_lines
    from corpus_agent.render.trusting import stores_object as stores_object
    from corpus_agent.render.trusting import trust_lines as trust_lines
    from corpus_agent.render.trusting import trust_object as trust_object
    from corpus_agent.render.upkeep import LIST_OF_IGNORED as LIST_OF_IGNORED
    from corpus_agent.render.upkeep import MULTILINGUAL as MULTILINGUAL
    from corpus_agent.render.upkeep import forget_lines as forget_lines
    from corpus_agent.render.upkeep import forget_object as forget_object
    from corpus_agent.render.upkeep import not_read as not_read
    from corpus_agent.render.upkeep import status_lines as status_lines
    from corpus_agent.render.upkeep import status_object as status_object
    from corpus_agent.render.upkeep import waiting_text as waiting_text
    from corpus_agent.render.upkeep import what_reads_them as what_reads_them
else:
    __getattr__ = lazy_names(__name__, _PUBLIC)

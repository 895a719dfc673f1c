"""Files in, searchable index out.

Knows nothing of agents, models or terminals. Flow: walk -> extract -> chunk -> embed -> store.
The public names are looked up on first use, so importing the library loads nothing.
`indexer.confine` is imported on its own: it must run before anything else is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"  # of the distribution, which holds this library and corpus_agent

if TYPE_CHECKING:
    from indexer.chunk import Chunker as Chunker
    from indexer.embed import Encoded as Encoded
    from indexer.embed import Encoder as Encoder
    from indexer.embed import FolderEncoder as FolderEncoder
    from indexer.embed import Reranker as Reranker
    from indexer.embed.languages import is_english as is_english
    from indexer.embed.languages import is_multilingual as is_multilingual
    from indexer.errors import ERRORS as ERRORS
    from indexer.errors import CorpusError as CorpusError
    from indexer.errors import NoIndex as NoIndex
    from indexer.errors import Refused as Refused
    from indexer.errors import SealUnavailable as SealUnavailable
    from indexer.errors import StoreLocked as StoreLocked
    from indexer.errors import Unreachable as Unreachable
    from indexer.errors import UnreadableDocument as UnreadableDocument
    from indexer.errors import UntrustedStore as UntrustedStore
    from indexer.errors import UsageError as UsageError
    from indexer.extract import claim as claim
    from indexer.extract.text.plain import is_text as is_text
    from indexer.files import paths as paths
    from indexer.files import watch as watch
    from indexer.files.opening import MAX_FILE_BYTES as MAX_FILE_BYTES
    from indexer.files.opening import lock_briefly as lock_briefly
    from indexer.files.opening import read_regular as read_regular
    from indexer.files.walk import Excluded as Excluded
    from indexer.files.walk import check_root as check_root
    from indexer.files.walk import excluded as excluded
    from indexer.index import Index as Index
    from indexer.parsers.recogniser import RecognitionState as RecognitionState
    from indexer.parsers.recogniser import recognition_state as recognition_state
    from indexer.parsers.worker import Enough as Enough
    from indexer.parsers.worker import parsed_lines as parsed_lines
    from indexer.records import OCR_CHOICES as OCR_CHOICES
    from indexer.records import STATUSES as STATUSES
    from indexer.records import Chunk as Chunk
    from indexer.records import Coverage as Coverage
    from indexer.records import FileRow as FileRow
    from indexer.records import Hit as Hit
    from indexer.records import Line as Line
    from indexer.records import Ocr as Ocr
    from indexer.records import Query as Query
    from indexer.records import Status as Status
    from indexer.records import is_other as is_other
    from indexer.store import storage as storage
    from indexer.store.cleanup import Cleaned as Cleaned
    from indexer.store.cleanup import clean_up as clean_up
    from indexer.store.inspection import Inspection as Inspection
    from indexer.sync.folder import plan_folder as plan_folder
    from indexer.sync.folder import sync_folder as sync_folder
    from indexer.sync.forget import Forgotten as Forgotten
    from indexer.sync.forget import forget_document as forget_document
    from indexer.sync.plan import Plan as Plan
    from indexer.sync.recognise import ToRecognise as ToRecognise
    from indexer.sync.run import Outcome as Outcome
    from indexer.sync.run import Progress as Progress
    from indexer.window import MAX_WINDOW_BYTES as MAX_WINDOW_BYTES
    from indexer.window import MAX_WINDOW_LINES as MAX_WINDOW_LINES
    from indexer.window import Window as Window
    from indexer.window import check_numbers as check_numbers
    from indexer.window import fills_window as fills_window
    from indexer.window import narrowed as narrowed

_PUBLIC = {
    "indexer.chunk": ("Chunker",),
    "indexer.embed": (
        "Encoded",
        "Encoder",
        "Reranker",
        "FolderEncoder",
    ),
    "indexer.embed.languages": (
        "is_english",
        "is_multilingual",
    ),
    "indexer.errors": (
        "CorpusError",
        "ERRORS",
        "NoIndex",
        "Refused",
        "SealUnavailable",
        "StoreLocked",
        "Unreachable",
        "UnreadableDocument",
        "UntrustedStore",
        "UsageError",
    ),
    "indexer.extract": ("claim",),
    "indexer.extract.text.plain": ("is_text",),
    "indexer.files.opening": (
        "MAX_FILE_BYTES",
        "lock_briefly",
        "read_regular",
    ),
    "indexer.files.walk": ("Excluded", "check_root", "excluded"),
    "indexer.index": ("Index",),
    "indexer.parsers.recogniser": (
        "RecognitionState",
        "recognition_state",
    ),
    "indexer.parsers.worker": ("Enough", "parsed_lines"),
    "indexer.records": (
        "Chunk",
        "Coverage",
        "FileRow",
        "Hit",
        "Line",
        "Ocr",
        "OCR_CHOICES",
        "Query",
        "Status",
        "STATUSES",
        "is_other",
    ),
    "indexer.store.cleanup": (
        "Cleaned",
        "clean_up",
    ),
    "indexer.store.inspection": ("Inspection",),
    "indexer.sync.folder": (
        "plan_folder",
        "sync_folder",
    ),
    "indexer.sync.forget": (
        "Forgotten",
        "forget_document",
    ),
    "indexer.sync.plan": ("Plan",),
    "indexer.sync.recognise": ("ToRecognise",),
    "indexer.sync.run": (
        "Outcome",
        "Progress",
    ),
    "indexer.window": (
        "MAX_WINDOW_BYTES",
        "MAX_WINDOW_LINES",
        "Window",
        "check_numbers",
        "fills_window",
        "narrowed",
    ),
}
_WHOLE = {  # modules, each with its names
    "paths": "indexer.files.paths",
    "storage": "indexer.store.storage",
    "watch": "indexer.files.watch",
}
_MODULES = {name: module for module, names in _PUBLIC.items() for name in names} | _WHOLE
__all__ = ["__version__", *_MODULES]

if not TYPE_CHECKING:  # so that a type checker knows the names above and no others

    def __getattr__(name: str) -> object:
        """A public name, from the module that holds it."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(_MODULES[name])
        found: object = module if name in _WHOLE else getattr(module, name)
        globals()[name] = found
        return found

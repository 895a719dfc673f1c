"""Files in, searchable index out.

Knows nothing of agents, models or terminals. Flow: walk -> extract -> chunk -> embed -> store.
The public names are looked up on first use, so importing the library loads nothing.
`indexer.confine` is imported on its own: it must run before anything else is loaded.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"  # of the distribution, which holds this library and corpus_agent

if TYPE_CHECKING:
    from indexer.chunk import Chunker as Chunker
    from indexer.embed import INSTALL_MULTILINGUAL as INSTALL_MULTILINGUAL
    from indexer.embed import Encoded as Encoded
    from indexer.embed import engine_for as engine_for
    from indexer.embed import gpu_seen as gpu_seen
    from indexer.embed import multilingual_model as multilingual_model
    from indexer.embed.encoder import Encoder as Encoder
    from indexer.embed.four_bits import encoder_of as encoder_of
    from indexer.embed.languages import is_english as is_english
    from indexer.embed.languages import is_in_another as is_in_another
    from indexer.embed.languages import is_multilingual as is_multilingual
    from indexer.embed.languages import language_of as language_of
    from indexer.errors import CorpusError as CorpusError
    from indexer.errors import NoIndex as NoIndex
    from indexer.errors import Refused as Refused
    from indexer.errors import SealUnavailable as SealUnavailable
    from indexer.errors import StoreLocked as StoreLocked
    from indexer.errors import Unreachable as Unreachable
    from indexer.errors import UnreadableDocument as UnreadableDocument
    from indexer.errors import UntrustedStore as UntrustedStore
    from indexer.errors import UsageError as UsageError
    from indexer.errors import error_said as error_said
    from indexer.extract import claim as claim
    from indexer.extract.text import is_text as is_text
    from indexer.files import paths as paths
    from indexer.files import watch as watch
    from indexer.files.opening import MAX_FILE_BYTES as MAX_FILE_BYTES
    from indexer.files.opening import lock_briefly as lock_briefly
    from indexer.files.opening import open_beneath as open_beneath
    from indexer.files.opening import read_regular as read_regular
    from indexer.files.paths import file_stem as file_stem
    from indexer.files.walk import Excluded as Excluded
    from indexer.files.walk import check_root as check_root
    from indexer.files.walk import excluded as excluded
    from indexer.index import Index as Index
    from indexer.index import has_pages as has_pages
    from indexer.parsers import INSTALL_OCR as INSTALL_OCR
    from indexer.parsers import recogniser_version as recogniser_version
    from indexer.parsers.tesseract import tesseract_scripts as tesseract_scripts
    from indexer.parsers.worker import Enough as Enough
    from indexer.parsers.worker import parsed_lines as parsed_lines
    from indexer.records import LEAST_UNREAD as LEAST_UNREAD
    from indexer.records import MANY_UNREAD as MANY_UNREAD
    from indexer.records import MULTILINGUAL as MULTILINGUAL
    from indexer.records import OCR_CHOICES as OCR_CHOICES
    from indexer.records import STATUSES as STATUSES
    from indexer.records import Choices as Choices
    from indexer.records import Chunk as Chunk
    from indexer.records import Coverage as Coverage
    from indexer.records import FileRow as FileRow
    from indexer.records import Hit as Hit
    from indexer.records import Line as Line
    from indexer.records import Ocr as Ocr
    from indexer.records import OpenStore as OpenStore
    from indexer.records import Query as Query
    from indexer.records import Status as Status
    from indexer.records import is_other as is_other
    from indexer.store import storage as storage
    from indexer.store.filters import parse_filter as parse_filter
    from indexer.sync import RunDisplay as RunDisplay
    from indexer.sync.folder import Forgotten as Forgotten
    from indexer.sync.folder import forget_document as forget_document
    from indexer.sync.folder import plan_folder as plan_folder
    from indexer.sync.folder import sync_folder as sync_folder
    from indexer.sync.plan import Plan as Plan
    from indexer.sync.read import share_in_other_languages as share_in_other_languages
    from indexer.sync.run import Outcome as Outcome
    from indexer.sync.run import Progress as Progress
    from indexer.window import MAX_WINDOW_BYTES as MAX_WINDOW_BYTES
    from indexer.window import MAX_WINDOW_LINES as MAX_WINDOW_LINES
    from indexer.window import Window as Window
    from indexer.window import check_numbers as check_numbers
    from indexer.window import fills_window as fills_window
    from indexer.window import fitting as fitting
    from indexer.window import narrowed as narrowed
    from indexer.words import PAIRED as PAIRED
    from indexer.words import UNSPACED as UNSPACED
    from indexer.words import WORD as WORD
    from indexer.words import fold as fold
    from indexer.words import unheld as unheld

# The same lines are the table by which a name is looked up, so that each is written once.
with open(__file__, encoding="utf-8") as _own:  # noqa: PTH123 - pathlib takes longer than all this
    _LINES = re.findall(r"^    from (\S+) import (\w+) as", _own.read(), re.MULTILINE)
_MODULES = {name: module for module, name in _LINES}
__all__ = ["__version__", *_MODULES]

if not TYPE_CHECKING:  # so that a type checker knows the names above and no others

    def __getattr__(name: str) -> object:
        """A public name, from the module that holds it; some are modules themselves."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(_MODULES[name])
        is_there = hasattr(module, name)
        found = getattr(module, name) if is_there else import_module(f"{_MODULES[name]}.{name}")
        globals()[name] = found
        return found

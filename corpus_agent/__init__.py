"""A question in, a checked answer out.

    from corpus_agent import Corpus

Importing it loads nothing heavy, starts nothing and touches nothing; see docs/python.md.

A package is imported before the seal, its modules after it. It imports their names under
TYPE_CHECKING and assigns `__getattr__` otherwise, by `lazy_modules` or `lazy_names`, so that type
checkers and import contracts know each name, and none beside them.
"""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    # `python -m corpus_agent`: nothing that lies where one stands is imported, our own code apart.
    _own = __file__.rpartition("/corpus_agent/")[0]
    sys.path[:] = [sys.path[0]] * (sys.path[0] == _own) + [
        folder for folder in sys.path[1:] if folder not in ("", sys.path[0])
    ]

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from indexer import __version__

__all__ = ["AsyncCorpus", "Corpus", "CorpusError", "__version__"]


def lazy_modules(package: str, names: Collection[str]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose names are its own modules."""

    def look_up(name: str) -> object:
        if name not in names:
            raise _no_attribute(package, name)
        return import_module(f"{package}.{name}")

    return look_up


def lazy_names(package: str, public: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose names are in other modules: `public` lists them."""
    modules = {name: module for module, names in public.items() for name in names.split()}

    def look_up(name: str) -> object:
        if name not in modules:
            raise _no_attribute(package, name)
        found: object = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return look_up


def _no_attribute(package: str, name: str) -> AttributeError:
    return AttributeError(f"module {package!r} has no attribute {name!r}")


if TYPE_CHECKING:
    from corpus_agent.api import AsyncCorpus, Corpus
    from indexer import CorpusError
else:
    __getattr__ = lazy_names(
        __name__, {"corpus_agent.api": "AsyncCorpus Corpus", "indexer": "CorpusError"}
    )

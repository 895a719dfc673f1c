"""LanceDB, imported without its parts for remote services, which this program never calls.

`import lancedb` spends more than half of its time on some 300 pydantic models of the client of its
remote catalogues and on more of other parts, which only annotations need. During the import they
are replaced by empty stand-ins; a stand-in that is called, inspected or used in isinstance is then
resolved to the real class. The library that checks its overridden methods on Python 3.11, by
reading bytecode, is replaced by what it uses on 3.12.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeVar

CLIENT = "lance_namespace_urllib3_client"
# Functions that LanceDB's service runs, and 18 makers of embeddings: more such models.
OTHERS = ("lancedb.functions", "lancedb.embeddings")
CHECKER = "overrides"  # compares each method with the one it replaces: a sixth of the import

# LanceDB reads these when it is loaded, and has no other place for them.
ENVIRONMENT = {
    # Its notes about tables that it creates are not for our users; errors come as exceptions.
    "LANCEDB_LOG": "error",
    # Bytes of a scan that are read ahead, and threads that read. By default 2 GiB and eight, whose
    # buffers the allocator keeps: 500 MB after searches in 50,000 vectors, and no quicker.
    "LANCE_DEFAULT_IO_BUFFER_SIZE": str(16 * 2**20),
    "LANCE_IO_THREADS": "4",
}


def import_lancedb() -> ModuleType:
    """The lancedb module; every other import of lancedb must come after this one."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if "lancedb" not in sys.modules and CLIENT not in sys.modules:
        stand_ins = _StandIns()
        sys.meta_path.insert(0, stand_ins)
        checker = sys.modules.setdefault(CHECKER, _Checker(CHECKER))
        try:
            importlib.import_module("lancedb")
            importlib.import_module("lancedb.remote.table")  # which the first search asks for
        finally:
            sys.meta_path.remove(stand_ins)
            # So that an explicit import gets the client, and the checker, themselves.
            # Of a list: another thread may import the model's library meanwhile.
            for name in filter(_is_remote, [*sys.modules]):
                del sys.modules[name]
            if isinstance(checker, _Checker):
                del sys.modules[CHECKER]
    return importlib.import_module("lancedb")


def release_memory() -> None:
    """Give what LanceDB's threads have freed back to the system: glibc keeps their arenas."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


_Method = TypeVar("_Method")


class _Checker(ModuleType):
    """What LanceDB itself has in place of the checker on Python 3.12 and later."""

    EnforceOverrides = object

    @staticmethod
    def override(method: _Method) -> _Method:
        """The method as it is."""
        return method


def _is_remote(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in (CLIENT, *OTHERS))


class _Deferred(type):
    """The class of a stand-in, named like the class it stands in for."""

    def _real(cls) -> Any:  # noqa: ANN401 - one of some 300 classes
        return getattr(importlib.import_module(cls.__module__), cls.__name__)

    def __call__(cls, *arguments: object, **named: object) -> object:
        return cls._real()(*arguments, **named)

    def __getattr__(cls, name: str) -> object:
        if name.startswith("__"):  # asked by the interpreter itself, of any class
            raise AttributeError(name)
        return getattr(cls._real(), name)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._real())


class _Module(ModuleType):
    """A module that holds a stand-in of every name."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        whose = f"{CLIENT}.models" if self.__name__.startswith(CLIENT) else self.__name__
        return _Deferred(name, (), {"__module__": whose})


class _StandIns:
    """A finder, and loader, of stand-ins for the client's modules."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if _is_remote(name) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: attributes are made on first access."""

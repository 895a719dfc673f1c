"""Functions of pdfium that are called for every object of a page, as quickly as ctypes can.

pypdfium2's own check each argument and make a typed pointer of each result, which takes longer
than the call. These take what is of the right type already, in order to run under `map`.
Called by unseen.py.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def quick(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:  # noqa: ANN401 - a C type
    """The function of that name, which takes an object or a page first, as an address.

    Its other arguments are ctypes instances, references, or 32-bit integers. Addresses are plain
    integers: thousands of ctypes instances keep Python's collector busy.
    """
    import pypdfium2.raw as pdfium

    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    assert address  # it was found when pypdfium2 was imported
    return ctypes.PYFUNCTYPE(result, ctypes.c_void_p)(address)


class Cells:
    """Room for `width` numbers of each of many objects, kept from page to page."""

    def __init__(self, kind: Any, width: int, *wanted: int) -> None:  # noqa: ANN401 - a C type
        self._kind, self._width, self._wanted = kind, width, wanted
        self._cells: Any = None
        self._places: list[list[Any]] = []
        self._size = 0

    def places(self, number: int) -> list[list[Any]]:
        """References to the wanted cells, for at least as many objects."""
        if number > self._size:
            step = self._width * ctypes.sizeof(self._kind)
            self._size = max(number, 1_000, min(2 * self._size, 100_000))
            self._cells = (self._kind * (self._width * self._size))()
            self._places = [
                [
                    ctypes.byref(self._cells, step * at + ctypes.sizeof(self._kind) * cell)
                    for at in range(self._size)
                ]
                for cell in self._wanted
            ]
        return self._places

    def values(self, number: int) -> array[Any]:
        """The numbers of the first so many objects."""
        numbers = array(self._kind._type_)
        size = number * self._width * numbers.itemsize
        if size:
            numbers.frombytes(memoryview(self._cells).cast("B")[:size])
        return numbers

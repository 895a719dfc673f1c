"""The library's errors that users can see, as a tree; `exit_code` is a command's that meets one.

Library exceptions are translated into these where the library is called (extract, embed, store,
agent); nothing else catches them, and `cli` alone prints them.
"""

from __future__ import annotations


class CorpusError(Exception):
    """What went wrong and, in `hint`, what to do next; `near` is that without its command."""

    exit_code = 1
    code = "error"

    def __init__(self, message: str, hint: str = "", command: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.near, self.hint = hint, f"{hint}{command}"

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(CorpusError):
    """Flags or settings that are wrong or contradict each other."""

    exit_code = 2
    code = "usage"


class UntrustedStore(UsageError):
    """A store for which there is no record that this user made it here."""

    code = "untrusted_store"


class NoIndex(CorpusError):
    """No store exists at the given place."""

    code = "no_index"


class IncompatibleStore(CorpusError):
    """The store was made by another version, model or chunker."""

    code = "incompatible_store"


class DamagedStore(CorpusError):
    """The store exists and cannot be opened, or a file of it is not what was written."""

    code = "damaged_store"


class StoreLocked(CorpusError):
    """Another process is writing to the store."""

    exit_code = 5
    code = "store_locked"


class SealUnavailable(CorpusError):
    """The kernel cannot enforce the seal; the message names what is missing."""

    exit_code = 3
    code = "seal_unavailable"


class UnreadableDocument(CorpusError):
    """A file that yields no text, with the reason code for its file row, which sync makes of it.

    `extractor` is the label of the extractor that failed, None if no extractor claims the file.
    `waiting` counts the pages whose text might be recognised.
    """

    code = "unreadable"

    def __init__(
        self, reason: str, detail: str = "", extractor: str | None = None, waiting: int = 0
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.extractor = extractor
        self.waiting = waiting


class Refused(CorpusError):
    """A request that is not allowed or cannot be met; the message says what to do instead.

    `code` is the reason for a program, as in "not_indexed": docs/workspace.md lists them.
    """

    def __init__(self, message: str, hint: str = "", *, code: str = "refused") -> None:
        super().__init__(message, hint)
        self.code = code


class Unreachable(Refused):
    """A document of the index whose file, folder or disk cannot be read now."""

    def __init__(self, message: str, hint: str = "", *, code: str = "unreachable") -> None:
        super().__init__(message, hint, code=code)


_BY_NAME: dict[str, type[CorpusError]] = {
    name: kind
    for name, kind in globals().items()
    if isinstance(kind, type) and issubclass(kind, CorpusError)
}
MAX_SAID = 1_000  # characters of an error of another process


def error_said(kind: object, message: object, hint: object) -> CorpusError:
    """The error that another process says it met, in one line; a plain one of an unknown kind."""
    its = _BY_NAME.get(str(kind), CorpusError)
    said, do = (" ".join(str(text).split())[:MAX_SAID] for text in (message, hint))
    return its(said, do)

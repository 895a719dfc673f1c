"""A message as it is read, in whatever format it came: headers, text, what is attached.

Called by the readers of MIME mail and of Outlook's messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from indexer.extract import markdown
from indexer.extract.claims.kinds import known_by_bytes
from indexer.extract.extraction import Extraction, Within, plain_lines
from indexer.extract.members import Member, Members

MAX_KEY_HEAD = 300  # characters in front of the base64 of a key that say so
_OF_KEY = re.compile("BEGIN [A-Z ]{0,60}PRIVATE KEY|BEGIN OpenVPN Static key")
# Three lines at least, of which all but the last are long; a quoted message has signs before each.
_BASE64 = re.compile(
    r"(?m)^(?:> ?)*[A-Za-z0-9+/]{60,}\n(?:(?:> ?)*[A-Za-z0-9+/]{60,}\n)+"
    r"(?:(?:> ?)*[A-Za-z0-9+/]{1,76}={0,2}$)?"
)


@dataclass(slots=True)
class Mail:
    """The readable parts of a message; `attached` names what `members` are, and the pictures."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def subject(self) -> str | None:
        """Its subject, None where there is none."""
        return next((value for name, value in self.headers if name == "Subject" and value), None)

    def add_text(self, text: str) -> None:
        """Add a text; base64 in it, such as a raw attachment or what PGP made, is no text."""

        def named(match: re.Match[str]) -> str:
            if _OF_KEY.search(text, max(0, match.start() - MAX_KEY_HEAD), match.start()):
                return match[0]  # is taken out, and counted, as in every document
            self.unread.append("data in base64 within the text")
            return "(data in base64, not read)"

        self.texts.append(_BASE64.sub(named, text))

    def attach(self, name: str, data: bytes) -> None:
        """Attach a file; of pictures, sound and programs the name and kind are all that is read."""
        name = markdown.one_line(name)
        known = known_by_bytes(data)
        if known is not None and known.reason == "binary":
            self.attached.append(f"{name} ({known.what})")
        else:
            self.attached.append(name)
            self.members.append(Member(name, lambda most: data))

    def name(self, name: str, what: str) -> None:
        """Name an attachment that cannot be read, and why."""
        self.attached.append(f"{markdown.one_line(name)} ({what})")
        self.unread.append(f"{markdown.one_line(name)} ({what})")

    def text(self) -> str:
        """The message as it is read: headers, text, names of attachments."""
        return markdown.page(self._blocks())

    def _blocks(self) -> Iterator[str]:
        yield "\n".join(f"{name}: {value}" for name, value in self.headers if value)
        yield from self.texts
        yield "\n".join(f"Attachment: {name}" for name in self.attached)


def mail_extraction(mail: Mail, within: Within) -> Extraction:
    """The subject and lines of a message, and of what is attached behind marks."""
    members = Members(within)
    members.unread += mail.unread
    lines = chain(plain_lines([mail.text()]), members.lines(mail.members))
    return members.extraction(mail.subject, lines)

"""The properties at the top of a note: YAML between ---, TOML between +++, keywords of Org. Pure.

They are what is said of a note, neither its prose nor an event.
"""

from __future__ import annotations

from corpus_agent.text.patterns import lazy

_NAME = r"[\"']?(?P<key>[\p{L}_][\p{L}\p{N}_. -]{0,40}?)[\"']?[ \t]*(?::(?=[ \t]|$)|=)"
_ORG_NAME = r"#\+(?P<key>[\p{L}_]{2,30}):(?=[ \t]|$)"
# What goes on with the property before: a list, a text over several lines, a comment, a table.
_GOES_ON = r"(?:[ \t]|-[ \t]|[#\[\]{}]|$)"
# At most 200 lines; a ruler at the top of a note is closed by none as near.
_FENCED = lazy(
    rf"(?m)\A(?:---|(?P<toml>\+\+\+))[ \t]*\n(?P<body>(?:(?:{_NAME}|{_GOES_ON}).*\n){{1,200}}+)"
    r"(?(toml)\+\+\+|(?:---|\.\.\.))[ \t]*$"
)
_ORG = lazy(rf"(?m)\A(?P<body>(?:{_ORG_NAME}.*(?:\n|\Z))++)")
_PROPERTY = lazy(rf"(?m)^(?:{_NAME}|{_ORG_NAME}).*(?:\n(?!{_NAME}|{_ORG_NAME}).*)*")
_KEY = lazy(rf"{_NAME}|{_ORG_NAME}")


def key_of(text: str) -> str:
    """The key that the text of a property begins with."""
    found = _KEY.match(text)
    return found["key"] if found else ""


def front_matter(text: str) -> tuple[list[tuple[int, int]], int]:
    """The places of the properties that a text begins with, and where its prose begins.

    None, and 0, where the first line is a ruler above prose.
    """
    matter = _FENCED.match(text) or _ORG.match(text)
    if matter is None:
        return [], 0
    start, end = matter.span("body")
    found = [
        (each.start(), each.start() + len(each[0].rstrip()))
        for each in _PROPERTY.finditer(text, start, end)
    ]
    return (found, matter.end()) if found else ([], 0)

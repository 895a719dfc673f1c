# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""Who makes an agreement: the names behind "between", with the roles that they are given. Pure.

"between Dunmoor Heating Ltd, a company …, (the "Supplier") and Jane Roe ("Customer")".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from corpus_agent.fields.names import is_organisation, name_at, name_before
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.tokens import fold
from corpus_agent.text.values import Reading

_HEAD = 8_000  # characters of a document in which its parties are introduced
_INTRODUCED = 3_000  # characters behind "between"
_MOST = 40
_OPENS = regex.compile(
    r"(?i)(?<!\p{L})(?:between|among(?:st)?|zwischen|entre|tra|tussen)(?!\p{L})[\s:,]*"
)
_MADE_BY = regex.compile(
    r"(?i)\b(?:made|entered\s+into|executed|granted|given)\b[^.;]{0,120}?\bby\s+(?!and\b)(?=(?:the\s+)?(?-i:\p{Lu}))"
)
_SIGNS = regex.compile(r"(?im)^[ ]*(?:by|per|signed|name)[ ]*[:：]")
_SIGNED_ABOVE = 3  # lines above "By:" in which the signing party is named
_CLOSES = regex.compile(
    r"(?i)\b(?:between|among(?:st)?|witnesseth|whereas|recitals?|background|preliminary statements?|now,?\s+therefore|table of contents|präambel|vorbemerkung|exposent|it is (?:hereby )?agreed)\b|^[ ]{0,20}(?:article|section|§)?[ ]{0,4}(?:1\.?|A\.)\s+\p{Lu}|\bdated(?: as)? of\b",
    regex.MULTILINE,
)
_LABELLED = regex.compile(
    r"(?im)^[ ]*(?:party|partei|partie|parte)\s+(?:[a-z]|\d|one|two|first|second)[ ]*[:：][ ]*"
)
_STREETS = regex.compile(
    r"(?i)\b(?:street|st|road|rd|avenue|ave|blvd|boulevard|drive|suite|floor|building|way|lane|plaza|parkway|straße|rue|calle)\b\.?"
)
_AND = regex.compile(
    r"(?<!\p{L})(?:(?i:and|und)|et|y|e|en)(?![\p{L}.])|;|(?<=\n\s*)&(?=\s*\n)|(?<=[)\"”],)(?=\s)|(?<=\),?)\s+(?=\p{Lu})"
)
_LEADS = regex.compile(
    r"(?i)[\s,;:.]*(?:(?:and|und|et|y|e|en)\s+)?(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)\s*|\d{1,2}\.\s+)?(?:party\s+\w{1,3}[ ]*[:：][ ]*)?(?:[“\"„«]\s*)?(?:the\s+(?=\p{Lu})|(?:herrn|frau|mr\.?|mrs\.?|ms\.?|der|die|den|la\s+société|la\s+sociedad|el\s+señor|la\s+señora|m\.|mme)\s+)?"
)
_DESCRIBED = regex.compile(
    r"(?i)[\s”\"»]*(?:\(|,\s*(?:\(|an?\b|with\b|having\b|located\b|residing\b|whose\b|of\b|hereinafter\b|hereafter\b|incorporated\b|organi[sz]ed\b|the\b|as\b|ein\b|eine\b|wohnhaft\b|vertreten\b|mit\b|geboren\b|demeurant\b|dont\b|con\b|domiciliad|mayor\b|\d)|(?:an?|whose|having|with|hereinafter|located|residing|wohnhaft|demeurant)\b)"
)
_ROLE = regex.compile(
    r"[“\"„«'‘]\s*(?:the\s+)?([\p{L}][\p{L}\p{N} @&.'’-]{1,50}?)\s*[,.]?\s*[”\"“»'’]"
)
_IN_BRACKETS = regex.compile(r"\(([^()]{2,200})\)")
# Who was elected to a role, which something ends that belongs to no longer one: "tenant adviser".
_ELECTED = regex.compile(
    r"(?i)\s(?:was|were|has\s+been)\s+(?:(?:unanimously|duly)\s+)?(?:re-?)?(?:elected|appointed|chosen)\s+(?:as\s+)?(?:the\s+|our\s+|its\s+)?(?:new\s+)?(?P<role>\p{L}[\p{L}-]{1,30}(?:\s\p{L}[\p{L}-]{1,30}){0,2}?)(?=\s*(?:[,.;:)]|\n\s*\n|\Z)|\s+(?:of|for|by|with|at|on|in|until|from|and|to|after|again|unanimously)\b)"
)
_BEFORE_NAME = regex.compile(
    r"(?i)(?:^|[:;.|*•–-]|(?<!\p{L})(?:between|and|by|the|with|zwischen|und|entre|et|y|e|tra|tussen|en|mr|mrs|ms|dr)\.?)$"
)
_NO_ROLES = frozenset(["party", "parties", "agreement", "effective date", "contract", "lease"])
_NO_NAMES = regex.compile(
    r"(?i)^(?:(?:the\s+)?(?:parties|undersigned|following|above|date|effective date|agreement|company|seller|buyer|landlord|tenant|client|customer|supplier|provider|service provider|service recipient|recipient|consultant|contractor|distributor|reseller|manufacturer|licensor|licensee|lender|borrower|employer|employee|executive|agent|corporation|purchaser|vendor|owner|franchisor|franchisee|publisher|sponsor)|the|this|it|you|we|each|either|both|january|february|march|april|may|june|july|august|september|october|november|december|\p{L}?\d+|(?:chief|president|director|vice|managing|its)\b.*)$"
)


_KIND = regex.compile(r"\s(?:corporation|company|partnership|limited|bank|trust|association)$")


@dataclass(frozen=True, slots=True)
class Party:
    """A party's name and the folded roles and short names that its definition gives it."""

    name: Reading
    roles: tuple[str, ...]
    end: int


def introduced(document: DocumentText) -> tuple[int, tuple[Party, ...]]:
    """Where the introduction of the parties begins, and the parties; none if nobody is introduced.

    Of several places that name parties the one that names most of them, then defines most roles.
    """
    best: tuple[int, tuple[Party, ...]] = (0, ())
    value = (1, 0, 0)
    openings = (
        opened
        for pattern in (_OPENS, _MADE_BY)
        for opened in pattern.finditer(document.text, 0, _HEAD)
        if pattern is _OPENS or value[0] < 2
    )
    for opened in openings:
        limit = min(len(document.text), opened.end() + _INTRODUCED)
        closed = _CLOSES.search(document.text, opened.end() + 3, limit)
        end = closed.start() if closed else limit
        parties = _listed(document.text, opened.end(), end)
        defined = sum(bool(party.roles) for party in parties)
        worth = (min(2, len(parties)), defined, len(parties))
        if worth > value:
            best, value = (opened.start(), parties), worth
    return best if value[0] > 1 else _labelled(document) or _signing(document) or best


def _labelled(document: DocumentText) -> tuple[int, tuple[Party, ...]] | None:
    """The parties of lines that call them so: "Party A: …"."""
    text = document.text
    parties: list[tuple[str, int, Party]] = []
    for label in _LABELLED.finditer(text, 0, _HEAD):
        name = name_at(text, label.end())
        if name is not None and all(fold(label[0]) not in known for known, _, _ in parties):
            _, end = document.line_span(name.start)
            roles = (fold(label[0].strip(" :：")), *_roles(text[name.end : end]))
            parties.append((fold(label[0]), label.start(), Party(name, roles, end)))
    named = tuple(party for _, _, party in parties)
    return (parties[0][1], named) if len(parties) > 1 else None


def _signing(document: DocumentText) -> tuple[int, tuple[Party, ...]] | None:
    """The organisations above the signatures: their name, then "By:"."""
    text = document.text
    found: dict[str, Party] = {}
    for signs in _SIGNS.finditer(text):
        at = signs.start()
        for _ in range(_SIGNED_ABOVE):
            start, end = document.line_span(max(0, at - 1))
            line = text[start:end]
            name = name_at(text, start + len(line) - len(line.lstrip()))
            if name is not None and is_organisation(name.normal) and len(line) < 100:
                found.setdefault(fold(name.normal), Party(name, (), end))
                break
            at = start
            if line.strip() and not line.isupper():
                break
    parties = tuple(found.values())
    return (parties[0].name.start, parties) if len(parties) > 1 else None


def _listed(text: str, start: int, end: int) -> tuple[Party, ...]:
    """The parties of an introduction, one after another while each is followed by another."""
    parties: list[Party] = []
    at = start
    while len(parties) < _MOST and at < end:
        lead = _LEADS.match(text, at, end)
        name = name_at(text, lead.end() if lead else at)
        if (
            name is not None
            and name.end <= end
            and _is_name(name, text, first=not parties)
            and not (parties and _defines(text, name, parties[-1]))
        ):
            following = _beside(text, name.end, end) or _next(text, name.end, end)
            parties.append(Party(name, _roles(text[name.end : following[0]]), following[0]))
            at = following[1]
            if at >= end:
                break
            continue
        if not parties:
            return ()
        following = _next(text, at, end)
        if following[1] <= at or following[1] >= end:
            break
        at = following[1]
    return tuple(parties)


def _defines(text: str, name: Reading, before: Party) -> bool:
    """Whether what stands behind a name is the short name of the party before: its address ends."""
    if is_organisation(name.normal):
        return False
    short = _roles(text[name.end : name.end + 60].partition(")")[0] + ")")
    return any(role in fold(before.name.normal) for role in short)


def _is_name(name: Reading, text: str, *, first: bool) -> bool:
    """Whether a run of capitalised words is introduced as a party."""
    if _NO_NAMES.match(name.normal):
        return False
    if _KIND.search(name.normal):  # "Delaware corporation" says what kind it is, not who
        return False
    if _STREETS.search(name.normal) and not is_organisation(name.normal):
        return False
    if first or is_organisation(name.normal) or _DESCRIBED.match(text, name.end):
        return True
    return text[name.end : name.end + 1] in ("", "\n", ".", ",") and " " in name.normal


_COMMA = regex.compile(r",\s+(?=\p{Lu})")


def _beside(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The end of a party and the next one's begin in a plain list: "A Ltd., B GmbH and C Inc."."""
    comma = _COMMA.match(text, start, end)
    name = name_at(text, comma.end(), end) if comma else None
    if comma is None or name is None or not is_organisation(name.normal):
        return None
    return start, comma.end()


def _next(text: str, start: int, end: int) -> tuple[int, int]:
    """Where what is said about a party ends, and where the next one begins."""
    depth = 0
    for at in range(start, end):
        char = text[at]
        depth = max(0, depth + (char == "(") - (char in ")}"))
        if depth == 0 and char in "aAuUeEyY;&,) \n" and (found := _AND.match(text, at, end)):
            return at, max(found.end(), at + 1)
        if depth == 0 and char == "." and _stops(text, at):
            return at, end
    return end, end


_STOPS = regex.compile(r"\.\s+(?:\p{Lu}\p{Ll}+|\d+\.)\s")
_ABBREVIATED = regex.compile(
    r"(?:\b\p{Lu}|\b(?i:inc|corp|co|ltd|no|st|dr|mr|mrs|ms|ave|blvd|rd|ste|llc|str|nr|bros))$"
)


def _stops(text: str, at: int) -> bool:
    """Whether a full stop ends the sentence."""
    return bool(_STOPS.match(text, at)) and not _ABBREVIATED.search(text[max(0, at - 8) : at])


def _roles(text: str) -> tuple[str, ...]:
    """The folded roles and short names of a definition: ("Landlord")."""
    pieces = [match[1] for match in _IN_BRACKETS.finditer(text)]
    pieces += [
        match[0]
        for match in regex.finditer(
            r"(?i)(?:hereinafter|nachfolgend|nachstehend|ci-après|en adelante)[^.;]{0,120}", text
        )
    ]
    named = (fold(role[1]) for piece in pieces for role in _ROLE.finditer(piece))
    return tuple(dict.fromkeys(role for role in named if role not in _NO_ROLES))


def parties_of(document: DocumentText) -> list[ProposedValue]:
    """All parties as one value, quoted from the introduction; [] if nobody is introduced."""
    start, parties = introduced(document)
    if len(parties) < 2:
        return []
    unique = {fold(party.name.normal): party for party in reversed(parties)}
    names = tuple(party.name for party in reversed(unique.values()))
    end = max(party.end for party in parties)
    return [ProposedValue(names, start, end, 1.0)]


def with_role(document: DocumentText, phrases: tuple[str, ...]) -> list[ProposedValue]:
    """The party that is defined with a role, ("Landlord") or (the Landlord), and who else has it.

    "Ann Smith (chair)", "Ann Smith was elected chair".
    """
    roles = frozenset(map(fold, phrases))
    _, parties = introduced(document)
    defined = [
        ProposedValue((party.name,), party.name.start, party.end, 0.95)
        for party in parties
        if roles.intersection(party.roles)
        or any(
            _in_role(piece[1]) in roles
            for piece in _IN_BRACKETS.finditer(document.text, party.name.end, party.end)
        )
    ]
    return defined or [
        ProposedValue((name,), name.start, end, 0.95)
        for name, end in _holders(document.text, roles)
    ]


def _in_role(words: str) -> str:
    """What is in brackets behind a name, as roles are compared."""
    return fold(words).strip(" ,.\"“”„«»'‘’").removeprefix("the ")


def _holders(text: str, roles: frozenset[str]) -> Iterator[tuple[Reading, int]]:
    """The names before a role in brackets or before an election to it, and where the role ends."""
    for piece in _IN_BRACKETS.finditer(text):
        if _in_role(piece[1]) in roles:
            name = name_before(text, piece.start())
            if name is not None and _holds(name, text, listed=fold(piece[1]) in roles):
                yield name, piece.end()
    for elected in _ELECTED.finditer(text):
        if fold(" ".join(elected["role"].split())) in roles:
            name = name_before(text, elected.start())
            if name is not None and _holds(name, text, listed=True):
                yield name, elected.end()


def _holds(name: Reading, text: str, *, listed: bool) -> bool:
    """Whether a name before a role is whole, and that of its holder: no town at an address' end.

    `listed`: as people are in a list, where a name may be one word and stand behind a comma.
    """
    if _NO_NAMES.match(name.normal) or _STREETS.fullmatch(name.normal.split()[-1]):
        return is_organisation(name.normal)
    before = text[text.rfind("\n", 0, name.start) + 1 : name.start].rstrip()
    in_list = listed and before.endswith((":", ",", ";", "-", "–", "•", "*", "|"))
    if in_list or is_organisation(name.normal):
        return True
    return " " in name.normal and _BEFORE_NAME.search(before) is not None

"""Who makes an agreement: the names behind "between", with the roles that they are given. Pure.

"between Dunmoor Heating Ltd, a company …, (the "Supplier") and Jane Roe ("Customer")".
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.names import is_organisation, name_at
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import ProposedValue
from corpus_agent.text.tokens import fold
from corpus_agent.text.values import Reading

_HEAD = 8_000  # characters of a document in which its parties are introduced
_INTRODUCED = 3_000  # characters behind "between"
_MOST = 40
_SIGNED_ABOVE = 3  # lines above "By:" in which the signing party is named
_LONGEST_LINE = 100
_HEREINAFTER = regex.compile(
    r"(?i)(?:hereinafter|nachfolgend|nachstehend|ci-après|en adelante)[^.;]{0,120}"
)
_NO_ROLES = frozenset(["party", "parties", "agreement", "effective date", "contract", "lease"])
_QUOTES = " ,.\"“”„«»'‘’"


@dataclass(frozen=True, slots=True)
class Party:
    """A party's name and the folded roles and short names that its definition gives it."""

    name: Reading
    roles: tuple[str, ...]
    end: int


def parties_of(document: DocumentText) -> list[ProposedValue]:
    """All parties as one value, quoted from the introduction; [] if nobody is introduced."""
    start, parties = _introduced(document)
    if len(parties) < 2:
        return []
    unique = {fold(party.name.normal): party for party in reversed(parties)}
    every = tuple(party.name for party in reversed(unique.values()))
    return [ProposedValue(every, start, max(party.end for party in parties), 1.0)]


def with_role(document: DocumentText, phrases: tuple[str, ...]) -> list[ProposedValue]:
    """The party that is introduced with a role: ("Landlord")."""
    roles = frozenset(map(fold, phrases))
    return [
        ProposedValue((party.name,), party.name.start, party.end, 0.95)
        for party in _introduced(document)[1]
        if roles.intersection(party.roles)
    ]


def _introduced(document: DocumentText) -> tuple[int, tuple[Party, ...]]:
    """Where the introduction of the parties begins, and the parties; none if nobody is introduced.

    Of several places that name parties the one that names most of them, then defines most roles.
    """
    best: tuple[int, tuple[Party, ...]] = (0, ())
    value, text = (1, 0, 0), document.text
    for opening in ("opens", "made_by"):
        for opened in lexicon.document(opening).finditer(text, 0, _HEAD):
            if opening == "made_by" and value[0] > 1:
                break
            limit = min(len(text), opened.end() + _INTRODUCED)
            closed = lexicon.document("closes").search(text, opened.end() + 3, limit)
            parties = _listed(text, opened.end(), closed.start() if closed else limit)
            defined = sum(bool(party.roles) for party in parties)
            worth = (min(2, len(parties)), defined, len(parties))
            if worth > value:
                best, value = (opened.start(), parties), worth
    return best if value[0] > 1 else _labelled(document) or _signing(document) or best


def _labelled(document: DocumentText) -> tuple[int, tuple[Party, ...]] | None:
    """The parties of lines that call them so: "Party A: …"."""
    text, found = document.text, dict[str, tuple[int, Party]]()
    for label in lexicon.document("labelled").finditer(text, 0, _HEAD):
        name, called = name_at(text, label.end()), fold(label[0].strip(" :："))
        if name is not None and called not in found:
            _, end = document.line_span(name.start)
            roles = (called, *_roles(text[name.end : end]))
            found[called] = label.start(), Party(name, roles, end)
    listed = list(found.values())
    return (listed[0][0], tuple(party for _, party in listed)) if len(listed) > 1 else None


def _signing(document: DocumentText) -> tuple[int, tuple[Party, ...]] | None:
    """The organisations above the signatures: their name, then "By:"."""
    text, found = document.text, dict[str, Party]()
    for signs in lexicon.document("signs").finditer(text):
        at = signs.start()
        for _ in range(_SIGNED_ABOVE):
            start, end = document.line_span(max(0, at - 1))
            line = text[start:end]
            name = name_at(text, start + len(line) - len(line.lstrip()))
            named = name is not None and is_organisation(name.normal) and len(line) < _LONGEST_LINE
            if name is not None and named:
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
        lead = lexicon.document("leads").match(text, at, end)
        name = name_at(text, lead.end() if lead else at)
        if (
            name is not None
            and name.end <= end
            and _is_name(name, text, first=not parties)
            and not (parties and _defines(text, name, parties[-1]))
        ):
            until, after = _beside(text, name.end, end) or _next(text, name.end, end)
            parties.append(Party(name, _roles(text[name.end : until]), until))
        else:
            if not parties:
                return ()
            _, after = _next(text, at, end)
            if after <= at:
                break
        at = after
    return tuple(parties)


def _defines(text: str, name: Reading, before: Party) -> bool:
    """Whether what stands behind a name is the short name of the party before: its address ends."""
    if is_organisation(name.normal):
        return False
    short = _roles(text[name.end : name.end + 60].partition(")")[0] + ")")
    return any(role in fold(before.name.normal) for role in short)


def _is_name(name: Reading, text: str, *, first: bool) -> bool:
    """Whether a run of capitalised words is introduced as a party.

    "Delaware corporation" says what kind it is, not who.
    """
    if lexicon.document("no_names").match(name.normal) or lexicon.document("kind").search(
        name.normal
    ):
        return False
    if is_organisation(name.normal):
        return True
    if lexicon.document("streets").search(name.normal):
        return False
    if first or lexicon.document("described").match(text, name.end):
        return True
    return text[name.end : name.end + 1] in ("", "\n", ".", ",") and " " in name.normal


def _beside(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The end of a party and the next one's begin in a plain list: "A Ltd., B GmbH and C Inc."."""
    comma = lexicon.document("comma").match(text, start, end)
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
        if depth:
            continue
        if char in "aAuUeEyY;&,) \n" and (found := lexicon.document("and").match(text, at, end)):
            return at, max(found.end(), at + 1)
        ends = char == "." and lexicon.document("stops").match(text, at)
        if ends and not lexicon.document("abbreviated").search(text[max(0, at - 8) : at]):
            return at, end
    return end, end


def _roles(text: str) -> tuple[str, ...]:
    """The folded roles and short names of a definition: ("Landlord"), (the tenant)."""
    brackets = [match[1] for match in lexicon.document("in_brackets").finditer(text)]
    pieces = [*brackets, *(match[0] for match in _HEREINAFTER.finditer(text))]
    named = [fold(role[1]) for piece in pieces for role in lexicon.near("role").finditer(piece)]
    named += [fold(piece).strip(_QUOTES).removeprefix("the ") for piece in brackets]
    return tuple(dict.fromkeys(role for role in named if role not in _NO_ROLES))

"""Names of parties and places; who makes an agreement, with the roles that they are given. Pure."""

from __future__ import annotations

from dataclasses import replace

import regex

from corpus_agent.fields import lexicon
from corpus_agent.fields.page import DocumentText, FieldValue
from corpus_agent.text.dates import Reading
from corpus_agent.text.tokens import fold

_HEAD = 8_000  # characters of a document in which its parties are introduced
_INTRODUCED = 3_000  # characters behind "between"
_LED = 80  # characters before "between" in which what is made is named
_MOST, _MOST_SIGN = 40, 12
_NAMED = 0.95  # score of a party that is introduced; its label is surer
_BRACKETS = regex.compile(r"\s*\([^()]*\)$")  # in brackets behind a name
_ROLE = regex.compile(r"(?:(?:the|der|die|le|la|el|il|de)\s+)?(\p{Lu}[\p{L}-]+)")  # "(Vermieterin)"


def parties_of(document: DocumentText) -> list[FieldValue]:
    """All parties as one value with their roles, quoted from the introduction; [] for none."""
    parties = _introduced(document)
    unique = list({fold(one.normal): one for one in reversed(parties)}.values())[::-1]
    if len(parties) < 2:
        return []
    names = tuple(one.readings[0] for one in unique)
    roles = tuple(", ".join(one.notes) for one in unique)
    start, end = parties[0].start, max(one.end for one in parties)
    return [FieldValue(names, start, end, 1.0, notes=roles)]


def with_role(document: DocumentText, phrases: tuple[str, ...]) -> list[FieldValue]:
    """The party that is introduced with a role: ("Landlord")."""
    roles = frozenset(map(fold, phrases))
    named = (one for one in _introduced(document) if roles.intersection(map(fold, one.notes)))
    return [replace(one, notes=()) for one in named]


def _introduced(document: DocumentText) -> list[FieldValue]:
    """The parties where they are introduced, else those of labels or signatures."""
    best, value, text = list[FieldValue](), (1, 0, 0), document.text
    for opening in ("opens", "made_by", "names_first"):
        if opening != "opens" and value[0] > 1:
            break
        for opened in lexicon.document(opening).finditer(text, 0, _HEAD):
            limit = min(len(text), opened.end() + _INTRODUCED)
            closed = lexicon.document("closes").search(text, opened.end() + 3, limit)
            parties = _listed(text, opened.end(), closed.start() if closed else limit)
            if opening == "names_first" and not all(one.notes for one in parties):
                continue
            worth = (min(2, len(parties)), sum(bool(one.notes) for one in parties), len(parties))
            known = any(one.notes or is_organisation(one.normal) for one in parties)
            led = document.before(opened.start(), _LED)
            if worth > value and (known or lexicon.near("agreement").search(led)):
                first = replace(parties[0], start=opened.start())  # quoted with "between"
                best, value = [first, *parties[1:]], worth
    others = [] if value[0] > 1 else _labelled(document) or _signed(text)
    return others if 1 < len(others) <= _MOST_SIGN else best


def _signed(text: str) -> list[FieldValue]:
    """The organisations that sign, where no introduction names anybody; none if one is unknown."""
    signed = lexicon.document("signature_of").finditer(text)
    names = [(name_at(text, one.start("name"), one.end("name")), one.end()) for one in signed]
    known = all(name and is_organisation(name.normal) for name, _ in names)
    return [FieldValue((name,), name.start, end, _NAMED) for name, end in names if name and known]


def _labelled(document: DocumentText) -> list[FieldValue]:
    """The parties of lines that call them so: "Party A: …"."""
    text, found = document.text, dict[str, FieldValue]()
    for label in lexicon.document("labelled").finditer(text, 0, _HEAD):
        _, end = document.line_span(label.end())
        name, called = name_at(text, label.end(), end), label[0].strip(" :：\n*_-")
        if name is not None and fold(called) not in found:
            roles = called, *_roles(text[name.end : end])
            found[fold(called)] = FieldValue((name,), name.start, end, _NAMED, notes=roles)
    return list(found.values())


def _listed(text: str, start: int, end: int) -> list[FieldValue]:
    """The parties of an introduction, one after another while each is followed by another."""
    parties: list[FieldValue] = []
    at = start
    while len(parties) < _MOST and at < end:
        lead = lexicon.document("leads").match(text, at, end)
        name = name_at(text, lead.end() if lead else at)
        if name is not None and name.end <= end and _is_party(name, text, parties):
            until, after = _next(text, name.end, end)
            roles = _roles(text[name.end : until])
            parties.append(FieldValue((name,), name.start, until, _NAMED, notes=roles))
        else:
            _, after = _next(text, at, end) if parties else (at, at)
            if after <= at:
                break
        at = after
    return parties


def _is_party(name: Reading, text: str, parties: list[FieldValue]) -> bool:
    """Whether a run of capitalised words is introduced as a party: no kind, no address."""
    said = lexicon.document
    if said("no_names").match(name.normal) or said("kind").search(name.normal):
        return False
    if is_organisation(name.normal):
        return True
    short = _roles(text[name.end : name.end + 60].partition(")")[0] + ")") if parties else ()
    again = any(fold(role) in fold(parties[-1].normal) for role in short)
    if again or said("streets").search(name.normal):
        return False
    if not parties or said("described").match(text, name.end):
        return True
    return text[name.end : name.end + 1] in ("", "\n", ".", ",") and " " in name.normal


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
    """The roles and short names of a definition: ("Landlord"), hereinafter "Seller"."""
    pieces = [match[1] for match in lexicon.document("in_brackets").finditer(text)]
    pieces += [match[0] for match in lexicon.near("hereinafter").finditer(text)]
    named = [role[1] for piece in pieces for role in lexicon.near("role").finditer(piece)]
    named += [role[1] for piece in pieces if (role := _ROLE.fullmatch(piece))]
    known = lexicon.words_of("no_roles")
    return tuple(dict.fromkeys(" ".join(one.split()) for one in named if fold(one) not in known))


def name_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The name that begins at a place of a text; it goes on to a company's form, or to `end`."""
    last = len(text) if end is None else end
    match = lexicon.document("name").match(text, start, last)
    if match is None:
        return None
    formed = lexicon.document("formed").search(text, start + 1, min(match.end() + 1, last))
    written = (text[start : formed.end()] if formed else match[0]).rstrip(" ,;:\n")
    written = _BRACKETS.sub("", written)
    written = written if is_organisation(written) else written.rstrip(".")
    if not any(char.isalpha() for char in written):
        return None
    plain = " ".join(written.split())
    return Reading(start, start + len(written), plain, plain)


def is_organisation(name: str) -> bool:
    """Whether a name ends like that of a company, bank or the like."""
    return lexicon.document("organised").search(name) is not None


def place_at(text: str, start: int, end: int | None = None) -> Reading | None:
    """The place whose name begins there and goes on to `end` at most, without "State of"."""
    match = lexicon.document("place").match(text, start, len(text) if end is None else end)
    if match is None:
        return None
    written = match[0].rstrip(" ,.;")
    plain = " ".join(written.split())
    name = lexicon.document("state").sub("", plain)
    normal = name.title().replace(" Of ", " of ") if name.isupper() and len(name) > 4 else name
    return Reading(start, start + len(written), plain, normal)

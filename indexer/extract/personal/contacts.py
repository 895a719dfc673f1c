"""Contacts (vCard 2.1, 3.0, 4.0): each a part of its own, a line for each number and address.

Each line says whose it is, since a line is what is found, quoted and read alone. Pictures, sounds
and keys are named; identifiers that programs need are left out. Called through the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.extraction import Extraction, part_lines, words
from indexer.extract.personal.content_lines import Component, Property, components
from indexer.records import Line

MAX_NAME_CHARS = 60  # in each line of a contact
_LABELS = {
    "NICKNAME": "Nickname",
    "ORG": "Organisation",
    "TITLE": "Title",
    "ROLE": "Role",
    "TEL": "Phone",
    "EMAIL": "Email",
    "ADR": "Address",
    "LABEL": "Address as printed",
    "BDAY": "Birthday",
    "ANNIVERSARY": "Anniversary",
    "DEATHDATE": "Died",
    "URL": "Web",
    "IMPP": "Messenger",
    "X-SOCIALPROFILE": "Profile",
    "X-ABRELATEDNAMES": "Related",
    "X-ABDATE": "Date",
    "RELATED": "Related",
    "CATEGORIES": "Groups",
    "LANG": "Language",
    "TZ": "Time zone",
    "GEO": "Place",
    "NOTE": "Note",
    "MEMBER": "Member",
    "GENDER": "Gender",
}
_ORDER = {name: number for number, name in enumerate(_LABELS)}
_OF_PROGRAMS = words(
    "VERSION PRODID UID REV SORT-STRING PROFILE CLASS MAILER CLIENTPIDMAP SOURCE NAME KIND XML "
    "FN N X-ABUID X-ABADR X-ABSHOWAS X-ABLABEL X-MS-CARDPICTURE "
    "X-MS-OL-DEFAULT-POSTAL-ADDRESS "
    "X-APPLE-SUBLOCALITY X-IMAGEHASH X-IMAGETYPE X-SHARED-PHOTO-DISPLAY-PREF X-ACTIVITY-ALERT "
    "X-EVOLUTION-FILE-AS X-MOZILLA-HTML X-ADDRESSBOOKSERVER-KIND X-ADDRESSBOOKSERVER-MEMBER"
)
_DATA = {"PHOTO": "Picture", "LOGO": "Logo", "SOUND": "Sound", "KEY": "Key"}
_TYPES = {
    "cell": "mobile",
    "internet": "",
    "voice": "",
    "pref": "",
    "x400": "",
    "dom": "",
    "intl": "",
}
_TYPES |= {"postal": "", "parcel": "", "uri": "", "jpeg": "", "png": "", "iphone": "mobile"}
_DATE = re.compile(r"(\d{4}|--)-?(\d{2})-?(\d{2})(?:[T ].*)?")
_OWN_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_ADDRESSES = ("tel:", "mailto:", "x-apple:", "sip:", "xmpp:", "aim:", "skype:")


def read_contacts(data: bytes) -> Extraction:
    """The lines of all contacts; raises UnreadableDocument("malformed") where there is none."""
    cards = [each for each in components(data) if each.name == "VCARD"]
    if not cards:
        raise UnreadableDocument("malformed", "no contact")
    return Extraction(None, _lines(cards))


def _lines(cards: list[Component]) -> Iterator[Line]:
    for number, card in enumerate(cards, start=1):
        name = contact_name(card)
        text = "\n".join(filter(None, [f"Name: {name}" if name else "", *_details(card, name)]))
        yield from part_lines("Contact", f"{number}: {name}" if name else number, [text])


def contact_name(card: Component) -> str:
    """What a contact is called: its full name, else its parts, else its organisation."""
    if shown := markdown.one_line(card.value("FN")):
        return shown
    parts = card.first("N")
    family, given, middle, before, after = [*(parts.parts() if parts else []), *[""] * 5][:5]
    shown = " ".join(filter(None, (before, given, middle, family, after)))
    organisation = card.first("ORG")
    first = organisation.parts()[0] if organisation else card.value("EMAIL")
    return markdown.one_line(shown.replace(",", " ") or first)


def _details(card: Component, name: str) -> Iterator[str]:
    """The lines of a contact behind its name, in the order in which a person looks for them."""
    parts = card.first("N")
    if parts and any(part.casefold() not in name.casefold() for part in parts.parts()):
        yield f"Name in parts: {', '.join(filter(None, parts.parts()))}"
    labels = {each.group: each.text for each in card.properties if each.name == "X-ABLABEL"}
    for each in sorted(card.properties, key=lambda e: _ORDER.get(e.name, len(_ORDER))):
        if each.name in _DATA:
            yield f"{_DATA[each.name]}: (not shown)" if each.encoded else _line(each, labels, name)
        elif each.name not in _OF_PROGRAMS and not each.encoded:
            yield _line(each, labels, name)
    for agent in card.inner:
        yield f"Agent: {contact_name(agent)}"
        yield from _details(agent, contact_name(agent))


def _line(each: Property, labels: dict[str, str], name: str) -> str:
    """A property as "Phone (work) of Ana Ruiz: 123"; "" where it says nothing."""
    value = markdown.one_line(_value(each))
    if not value:
        return ""
    label = _LABELS.get(each.name, "") or _DATA.get(each.name, "")
    label = label or each.name.removeprefix("X-").replace("-", " ").capitalize()
    kinds = _kinds(each, labels)
    whose = f" of {name[:MAX_NAME_CHARS]}" if name else ""
    return f"{label}{f' ({kinds})' if kinds else ''}{whose}: {value}"


def _kinds(each: Property, labels: dict[str, str]) -> str:
    own = labels.get(each.group, "") if each.group else ""
    if own:
        named = _OWN_LABEL.fullmatch(own)
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", named[1]).lower() if named else own
    kinds = (kind.strip().lower() for kind in each.params.get("TYPE", "").split(","))
    return ", ".join(
        dict.fromkeys(filter(None, (_TYPES.get(k, k.removeprefix("x-")) for k in kinds)))
    )


def _value(each: Property) -> str:
    if each.name in ("ADR", "ORG", "N"):
        return ", ".join(filter(None, each.parts()))
    if each.name in ("BDAY", "ANNIVERSARY", "DEATHDATE", "X-ABDATE"):
        return _day(each)
    value = each.text.strip()
    for address in _ADDRESSES:
        if value.lower().startswith(address):
            value = value[len(address) :]
    return ", ".join(each.parts(",")) if each.name in ("CATEGORIES", "NICKNAME") else value


def _day(each: Property) -> str:
    found = _DATE.fullmatch(each.text.strip())
    if found is None:
        return each.text
    year, month, day = found.groups()
    unknown = year == "--" or each.params.get("X-APPLE-OMIT-YEAR") == year
    return f"{month}-{day} (month-day)" if unknown else f"{year}-{month}-{day}"

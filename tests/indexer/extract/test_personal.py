"""Contacts and calendars: each a readable part, whatever version wrote it."""

import pytest

from indexer.errors import UnreadableDocument
from tests.support import made_containers as made
from tests.support.documents import extract


def lines_of(text: str, name: str) -> list[str]:
    return [line.text for line in extract(text.encode(), name).lines]


def card(*lines: str) -> list[str]:
    return lines_of("\n".join(("BEGIN:VCARD", *lines, "END:VCARD", "")), "a.vcf")


def event(*lines: str) -> list[str]:
    inner = ("BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR", "")
    return lines_of("\r\n".join(inner), "a.ics")


def test_each_contact_is_a_part_with_a_line_for_each_number():
    assert lines_of(made.CONTACTS, "a.vcf") == [
        "--- Contact 1: Dr. Jürgen Müller ---",
        "Name: Dr. Jürgen Müller",
        "Phone (work) of Dr. Jürgen Müller: +49 30 1234",
        "Phone (mobile) of Dr. Jürgen Müller: 0170 99",
        "Address (home) of Dr. Jürgen Müller: Straße 12, Berlin, 10115, Germany",
        "Picture: (not shown)",
        "--- Contact 2: Ana Ruiz ---",
        "Name: Ana Ruiz",
        "Phone (work) of Ana Ruiz: +34-600-000",
        "Email of Ana Ruiz: ana@example.org",
        "Organisation of Ana Ruiz: Harbour Office, Fares",
        "Birthday of Ana Ruiz: 03-04 (month-day)",
        f"Note of Ana Ruiz: {made.SENTENCE} It is folded, with a comma",
        "and a second line",
    ]


def test_each_appointment_is_a_part_with_its_dates_as_written():
    assert lines_of(made.CALENDAR, "a.ics") == [
        "--- Appointment 1: Board meeting ---",
        "Appointment: Board meeting",
        "Start of Board meeting: 2025-08-04 09:00 (Europe/Madrid)",
        "End of Board meeting: 2025-08-04 10:30 (Europe/Madrid)",
        (
            "Repetition of Board meeting: "
            "FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO,-1FR;UNTIL=20251231T000000Z"
        ),
        "Left out dates of Board meeting: 2025-09-01 09:00 (Europe/Madrid)",
        "Organiser of Board meeting: Ruiz, Ana <ana@example.org>",
        "Attendee of Board meeting: Bea <bea@example.org> (accepted)",
        "Location of Board meeting: Room 4, harbour",
        f"Description of Board meeting: {made.SENTENCE}",
        "It is folded",
        "Attachment: n.txt",
        "Reminder of Board meeting: -PT15M",
        "--- Appointment 2: Fair ---",
        "Appointment: Fair",
        "Start of Fair: 2025-08-10",
        "End of Fair: before 2025-08-12",
        "--- Task 3: Pay the rent ---",
        "Task: Pay the rent",
        "Due of Pay the rent: 2025-09-01 12:00 (UTC)",
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("ORG:Fares \\; Sons;Quay", "Organisation: Fares ; Sons, Quay"),
        ("BDAY:1980-03-04", "Birthday: 1980-03-04"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-04", "Birthday: 03-04 (month-day)"),
        ('EMAIL;TYPE="home,pref":mailto:a@example.org', "Email (home): a@example.org"),
        ("NOTE:one\nwithout an indent", "Note: one"),
        ("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:F=E4hre", "Note: Fähre"),
        ("tel;work:1", "Phone (work): 1"),
    ],
)
def test_a_line_of_a_contact_is_read_as_a_person_says_it(written, shown):
    said = [line.replace(" of Ana:", ":") for line in card("FN:Ana", *written.split("\n"))]
    assert shown in said


def test_a_file_that_is_cut_keeps_what_was_read_and_one_that_is_none_is_text():
    assert "Phone (mobile) of Dr. Jürgen Müller: 0170 99" in lines_of(made.CONTACTS[:250], "a.vcf")
    assert extract(b"no contact at all", "a.vcf").extractor.startswith("text/")
    with pytest.raises(UnreadableDocument, match="no_text"):
        extract(b"BEGIN:VCARD\nEND:VCARD\n", "a.vcf")


def test_a_cancelled_appointment_says_so_and_one_of_a_series_which_it_replaces():
    text = "BEGIN:VCALENDAR\nMETHOD:CANCEL\nBEGIN:VEVENT\nSUMMARY:Fair\nDTSTART:20250810T1000\n"
    text += "RECURRENCE-ID;TZID=Europe/Madrid:20250803T100000\nEND:VEVENT\nEND:VCALENDAR\n"
    lines = lines_of(text, "a.ics")
    assert "Status of Fair: cancelled by the organiser" in lines
    assert "Replaced date of Fair: 2025-08-03 10:00 (Europe/Madrid)" in lines
    assert "Start of Fair: 2025-08-10 10:00" in lines
    assert "Duration of x: PT1H" in event("SUMMARY:x", "DURATION:PT1H")

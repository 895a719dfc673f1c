"""Mail: what is attached is read as the file that it is, and base64 is never text."""

import base64
import re
from email.message import EmailMessage

from tests.support import made_files as made
from tests.support.documents import extract
from tests.support.pdfs import pdf_of

DEED = pdf_of("The deed of the house", "signed in Vigo")
PROSE = b"The text of this part was encoded, and no header says so. " * 6
HEAD = b"Subject: s\nFrom: a@example.org\n"
# A run that no prose has: base64 in the clothes of text.
RUN = re.compile(r"[A-Za-z0-9+/]{60}")


def lines_of(data: bytes, name: str = "a.eml") -> list[str]:
    return [line.text for line in extract(data, name).lines if line.text]


def part(headers: bytes, body: bytes) -> bytes:
    return HEAD + b"MIME-Version: 1.0\n" + headers + b"\n\n" + body


def test_attachments_are_documents_behind_marks_and_named_in_the_message():
    message = made.mail("the deed", ("deed.pdf", DEED), ("quay.png", made.PICTURE))
    assert lines_of(bytes(message)) == [
        "Subject: the deed",
        "From: Ana <ana@example.org>",
        "About the deed.",
        "Attachment: deed.pdf",
        "Attachment: quay.png (picture (PNG))",
        "--- File deed.pdf, Page 1 ---",
        "The deed of the house",
        "--- File deed.pdf, Page 2 ---",
        "signed in Vigo",
    ]
    assert extract(bytes(message), "a.eml").remark == ""


def test_a_mail_in_a_mail_in_a_mail_is_read_to_its_attachments():
    inner = made.mail("inner", ("deed.pdf", DEED))
    data = bytes(made.mail("outer", made.mail("middle", inner)))
    assert [line for line in lines_of(data) if line.startswith("---")] == [
        "--- File middle.eml ---",
        "--- File middle.eml/inner.eml ---",
        "--- File middle.eml/inner.eml/deed.pdf, Page 1 ---",
        "--- File middle.eml/inner.eml/deed.pdf, Page 2 ---",
    ]


def test_of_plain_text_and_a_page_the_page_is_read_and_what_is_attached_to_either():
    message = EmailMessage()
    message["Subject"] = "invitation"
    message.set_content("Only in plain text.")
    message.add_alternative("<title>Mail</title><p>Please <b>come</b>.</p>", subtype="html")
    message.add_alternative(made.FILES["a.ics"].decode(), subtype="calendar")
    html = list(message.iter_parts())[1]
    html.add_related(DEED, "application", "pdf", filename="deed.pdf")
    lines = lines_of(bytes(message))
    assert lines[:2] == ["Subject: invitation", "Please come."] and "Only" not in "".join(lines)
    assert "--- File deed.pdf, Page 1 ---" in lines
    assert "--- File attachment.ics, Appointment 1: Board meeting ---" in lines


def test_the_messages_of_a_mailbox_keep_their_attachments_apart():
    start = b"From ana@example.org Mon Aug  4 09:00:00 2025\n"
    box = b"\n".join(start + bytes(made.mail(f"deed {n}", ("d.pdf", DEED))) for n in (1, 2))
    parts = ("Message {0}", "File Message {0}/d.pdf, Page 1", "File Message {0}/d.pdf, Page 2")
    wanted = [f"--- {part.format(n)} ---" for n in (1, 2) for part in parts]
    assert [line for line in lines_of(box, "a.mbox") if line.startswith("---")] == wanted


def test_what_outlook_attaches_is_read_messages_too():
    first, second = (f"__attach_version1.0_#0000000{n}/" for n in (0, 1))
    inner = f"{second}__substg1.0_3701000D/"

    def wide(text: str) -> bytes:
        return text.encode("utf-16-le")

    streams = {
        "__properties_version1.0": bytes(32),
        "__substg1.0_0037001F": wide("outer\nFrom: a forged sender"),
        f"{first}__substg1.0_3707001F": wide("deed.pdf"),
        f"{first}__substg1.0_37010102": DEED,
        f"{second}__substg1.0_3001001F": wide("About\r\nthe rent"),
        f"{inner}__properties_version1.0": bytes(24),
        f"{inner}__substg1.0_0037001F": wide("About the rent"),
        f"{inner}__substg1.0_1000001F": wide("It is due in May."),
        f"{inner}{first}__substg1.0_3707001F": wide("terms.txt"),
        f"{inner}{first}__substg1.0_37010102": b"Terms of the rent.".ljust(4096),
    }
    lines = (line.rstrip("\0 ") for line in lines_of(made.compound(streams), "a.msg"))
    assert [line for line in lines if line] == [
        "Subject: outer From: a forged sender",
        "Attachment: deed.pdf",
        "Attachment: About the rent.msg",
        "--- File deed.pdf, Page 1 ---",
        "The deed of the house",
        "--- File deed.pdf, Page 2 ---",
        "signed in Vigo",
        "--- File About the rent.msg ---",
        "Subject: About the rent",
        "It is due in May.",
        "Attachment: terms.txt",
        "--- File About the rent.msg/terms.txt ---",
        "Terms of the rent.",
    ]


def test_an_attached_text_whose_base64_is_damaged_shows_no_base64():
    encoded = base64.encodebytes(PROSE)
    headers = (
        b"Content-Type: text/plain; name=n.txt\nContent-Transfer-Encoding: base64\n"
        b"Content-Disposition: attachment"
    )
    for damage in (b"!?", b"\xff\xfe"):
        for place in (0, len(encoded) // 2, len(encoded)):
            body = encoded[:place] + damage + encoded[place:]
            text = "\n".join(lines_of(part(headers, body)))
            assert not RUN.search(text) and "--- File n.txt" in text, (place, text)


def test_a_message_whose_text_is_in_compressed_rtf_alone_says_so():
    streams = {f"__substg1.0_{key}001F": "Ana".encode("utf-16-le") for key in ("0037", "0C1A")}
    read = extract(made.compound(streams | {"__substg1.0_10090102": bytes(99)}), "a.msg")
    assert "Subject: Ana" in [line.text for line in read.lines]
    assert read.remark == "not readable: the text, which is in RTF alone"


# Each has letters that no other encoding here writes with the same bytes.
CHARSETS = {
    "iso-8859-1": "Il prezzo è di 10 euro perché è così. Ça coûte ½ £.",
    "windows-1252": "Il prezzo è di 10 € perché è “così”.",
    "iso-8859-15": "Il prezzo è di 10 € perché è così, œuvre.",
    "iso-8859-2": "Cena wynosi dziesięć złotych, źródło łąki.",
    "koi8-r": "Цена десять рублей.",
    "windows-1251": "Цена десять рублей.",
    "shift_jis": "価格は十円です。",
    "gb2312": "价格是十元。",
    "utf-8": "Il prezzo è di 10 € perché è così.",
}


def sent(charset: str, text: str, encoding: str = "8bit") -> bytes:
    headers = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}"
    return part(headers.encode(), text.encode(charset) + b"\n")


def test_text_in_8bit_is_decoded_by_its_charset_wherever_it_stands():
    for charset, text in CHARSETS.items():
        message = sent(charset, text)
        apple = b"%d\n%s<?xml version='1.0'?>" % (len(message), message)
        mbox = b"From a@example.org Mon Feb  3 16:40:00 2025\n" + message
        page = message.replace(b"text/plain", b"text/html").replace(b"8bit\n", b"8bit\n\n<p>", 1)
        for name, data in (
            *(
                ("a.eml", sent(charset, text, encoding))
                for encoding in ("binary", '"8bit"', "7bit")
            ),
            ("a.eml", message.replace(b"\n", b"\r\n")),
            ("a.emlx", apple),
            ("a.mbox", mbox),
            ("a.mht", page),
        ):
            assert text in lines_of(data, name), (charset, name)


def test_what_is_called_latin_1_is_what_windows_writes():
    text = "It’s “due” – 10 € … soon"
    raw = text.encode("cp1252")
    spelled = "".join(f"={byte:02X}" for byte in raw)
    for declared in ("iso-8859-1", "latin1", "us-ascii"):
        head = f"Content-Type: text/plain; charset={declared}\nContent-Transfer-Encoding: 8bit"
        message = part(head.encode(), raw + b"\n")
        message = message.replace(b"Subject: s", f"Subject: =?{declared}?Q?{spelled}?=".encode())
        assert {text, f"Subject: {text}"} <= set(lines_of(message))

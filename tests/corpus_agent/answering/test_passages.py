"""What a passage is shown with, and which of its lines name the document."""

import pytest

from corpus_agent.answering.candidates import candidates
from corpus_agent.answering.extractive import ExtractiveAnswerer, passage_of
from corpus_agent.answering.quotations import check_quotation
from indexer import Chunk, Encoder, Hit, Index, Line
from tests.support import toy_index
from tests.support.fakes import MemoryCorpus

FAR = [f"- Damage {n} in the north part of the building, with all of it." for n in range(90)]
DEEP = [f"  {each}" for each in FAR]
ROWS = [f"| {n} | {n + 10} | {n * 3} |" for n in range(100)]


@pytest.mark.parametrize(
    ("above", "quote", "shown"),
    [
        (["The policy does not pay for:", "", *FAR], "- Water in the cellar.", "does not pay for:"),
        (["Not before May", "", *FAR], "- Water in the cellar.", "Not before May"),
        (["Here: Ann. Bo came late.", "", *FAR], "- Water in the cellar.", "Bo came late."),
        (["Never:", "- at night", *DEEP], "  - Swimming.", "Never:\n- at night"),
        (["| Line | Old fare | New |", "| --- | --- | --- |", *ROWS], "| 7 | 8 | 9 |", "Old fare"),
        (["| Line | Old fare | New |", *ROWS], "| 7 | 8 | 9 |", "Old fare"),
        (["Item   Cost in 1990   Now", "Boat   1,200   9,900"], "Ship   3,400   28,000", "in 1990"),
        (["Stuff Limit Measured", "Zinc 90 12"], "Lead 10 44", "Stuff Limit"),
    ],
)
def test_what_says_what_an_item_or_a_row_is_comes_first(above, quote, shown):
    lines = ["Intro.", "", *above, quote]
    corpus = MemoryCorpus({"a.txt": "\n".join(lines)})
    passage = passage_of(corpus, check_quotation(corpus, 1, "a.txt", quote, len(lines)))
    assert passage.citation.verdict == "verified"
    assert shown in passage.citation.above and passage.text.startswith(passage.citation.above)


def test_a_head_on_the_page_before_is_one_too():
    above = "\n".join(["Not before May", "", *FAR[:9]])
    corpus = MemoryCorpus({"a.pdf": [above, "\n".join([*FAR[9:20], "- Water in the cellar."])]})
    quote = check_quotation(corpus, 1, "a.pdf", "Water in the cellar.", 20)
    assert passage_of(corpus, quote).text.startswith("Not before May\n")


def test_a_row_has_no_head_of_another_table():
    names, row, other = "| Town | 31.12.2021 |", "| Ulm | 40 |", "| Kiel | 3 |"
    for rows, head in (([names, row], names), ([row], ""), ([other, row], "")):
        lines = [Line(text, None, "Sheet A") for text in ("--- Sheet A ---", "| Item | Cost |")]
        lines += [Line(text, None, "Sheet B") for text in ("--- Sheet B ---", *rows)]
        corpus = MemoryCorpus({"a.xlsx": lines})
        quote = check_quotation(corpus, 1, "a.xlsx", row, len(lines))
        assert passage_of(corpus, quote).citation.above == head


STATES = """
Lease (DRAFT 2, not approved) | ENTWURF - nicht gesandt | Annulé le 3 mai 2024 | [superseded]
Effective 3 May 2021. Withdrawn on 4 May 2024. | Version of 2016. SUPERSEDED by that of 2023.
Draft of 3 May | Borrador | TERMINATED - by letter of 2 August 2024"""  # what they are called
NONE = """
(draft, sign, witness) | NBA DRAFT RULES | Draft: 3.2 m | Draft beer 4.50 | The draft was void.
Withdrawn rules | It may be cancelled. | VOIDS"""


def test_what_calls_itself_a_draft_or_withdrawn_says_so_and_is_not_answered_from():
    for top, is_said in ((STATES, True), (NONE, False)):
        for line in top.replace("\n", " | ").strip(" |").split(" | "):
            corpus = MemoryCorpus(
                {"a.md": f"# {line}\n\nError E1042 means that the pump is dry.\n"}
            )
            answer = ExtractiveAnswerer(Encoder()).answer("What does error E1042 mean?", corpus)
            (passage,) = answer.passages
            assert passage.citation.state == (line if is_said else ""), line
            assert answer.status == ("likely" if is_said else "answered"), line


def test_a_draft_is_no_newer_edition_and_none_is_surer_for_another():
    said = "A pool lane is {} metres wide."
    texts = {"pool v1.md": said.format(6), "pool v2.md": f"# DRAFT\n\n{said.format(2)}"}
    passages = ExtractiveAnswerer(Encoder()).answer("How wide is a pool lane?", MemoryCorpus(texts))
    assert [one.age for one in passages.passages] == ["", ""]
    texts["pool v1.md"], texts["pool v2.md"] = reversed(texts.values())
    newer, older = (
        ExtractiveAnswerer(Encoder())
        .answer("How wide is a pool lane?", MemoryCorpus(texts))
        .passages
    )
    assert (newer.citation.source, older.age, older.probability) == ("pool v2.md", "older", 0.89)


def test_a_quotation_below_more_than_a_window_holds_has_its_passage(tmp_path):
    (root := tmp_path / "docs").mkdir()
    (root / "a.md").write_text(f"{'word ' * 10_300}\n\nThe toll for the bridge is 3 euros.\n")
    toy_index.sync(root, tmp_path / "store")
    corpus = Index.open(tmp_path / "store", toy_index.ENCODER, root=root)
    cited = check_quotation(corpus, 1, "a.md", "The toll for the bridge is 3 euros.", 3)
    assert passage_of(corpus, cited).text == cited.quote == "The toll for the bridge is 3 euros."


def test_only_a_greeting_parts_a_sentence_from_the_line_above():
    for above, is_whole in (
        ("Dear Ms Low,", False),
        ("Thanks to you, but we refuse,", True),
    ):
        corpus = MemoryCorpus({"a.md": f"{above}\n\nthe offer of 900 euros for the boat."})
        cited = check_quotation(corpus, 1, "a.md", "the offer of 900 euros for the boat.", 3)
        assert (above in cited.quote) == is_whole


def test_what_is_struck_out_is_not_the_likely_line():
    for struck in ("- ~~**A room may be let.**~~ (until May)", "| ~~A room~~ | ~~may be let~~ |"):
        chunk = Chunk("a.md", 0, f"{struck}\n\nIt rains.", "", 1, 3)
        found = candidates([Hit(chunk, 1.0, 0.0, 0.0)])
        assert [one.text for one in found if "room" in one.text] == []
    corpus = MemoryCorpus(
        {"a.md": "Rules of the house.\n\n~~A room may not be let.~~ A room may be let."}
    )
    answer = ExtractiveAnswerer(Encoder()).answer("May a room be let?", corpus)
    assert answer.passages[0].citation.quote == "A room may be let."


def test_a_line_is_shown_to_its_end():
    corpus = MemoryCorpus({"a.txt": f"Tick: negative.   Flea: found. {FAR[0]}\nNext: {'x' * 500}."})
    quote = check_quotation(corpus, 1, "a.txt", "Tick: negative.", 1)
    assert passage_of(corpus, quote).text == f"Tick: negative.   Flea: found. {FAR[0]}"


def test_a_list_has_the_head_right_above_it_alone():
    lines = ["Not covered:", "", *FAR, "", "The rest is covered.", "", "- Water in the cellar."]
    corpus = MemoryCorpus({"a.txt": "\n".join(lines)})
    quote = check_quotation(corpus, 1, "a.txt", "Water in the cellar.", len(lines))
    assert "Not covered" not in passage_of(corpus, quote).text


def test_a_head_of_which_the_passage_has_a_part_is_shown_once():
    head = f"Landlord: {'Oonagh ' * 20}\nTenants: Piotr and Hanna\n"
    corpus = MemoryCorpus({"a.txt": f"{head}\n1. {'A year. ' * 18}\n2. Either may give notice."})
    quote = check_quotation(corpus, 1, "a.txt", "Either may give notice.", 5)
    assert passage_of(corpus, quote).text.count("Tenants: Piotr") == 1


LETTER = """Brill & Sons, Gardeners
2 May 2024

Dear Ms Tarrant,

The hedge was cut on Monday. It took us four hours.

Yours sincerely,
Oswin Brill
"""
RECEIPT = """Brill & Sons
Bill 2024/17

Hedge trimmer 84.00
Two blades 12.50
"""


def lines(text: str, *, first: bool = True) -> list[str]:
    chunk = Chunk("a.md", 0 if first else 1, text, "", 1, text.count("\n") + 1)
    found = candidates([Hit(chunk, 1.0, 0.0, 0.0)])
    return [candidate.text for candidate in found if candidate.naming]


def test_a_letter_and_a_receipt_are_named_by_their_head_and_signature():
    head = ["Brill & Sons, Gardeners", "2 May 2024", "Dear Ms Tarrant,"]
    assert lines(LETTER) == [*head, "Yours sincerely,", "Oswin Brill"]
    assert lines(LETTER, first=False) == ["Yours sincerely,", "Oswin Brill"]  # further down in it
    assert lines(RECEIPT) == ["Brill & Sons", "Bill 2024/17"]
    assert lines(RECEIPT, first=False) == []


ANSWERS = (
    "The hedge was cut on Monday. It took us four hours.",  # prose alone
    "Hedge trimmer 84.00\nTwo blades 12.50",  # a paragraph alone: nothing is above it
    "Hedge trimmer 84.00\n\nThe bill is due at once.",  # an amount
    "- Oswin Brill\n- Ida Brill\n\nThey cut the hedge.\n\n- Oswin Brill",  # items of a list
    "The hedge is cut on these days.\n\nMonday 4\nTuesday 5",  # figures that answer
    "The hedge is cut by these.\n\nAda\nBea\nCid\nDan\nEli",  # longer than a signature
)


def test_what_may_answer_is_no_letterhead():
    for text in ANSWERS:
        assert lines(text) == [], text


def test_the_names_of_columns_are_no_answer_where_their_rows_were_found():
    names, row = "| Member | Rent |", "| Member: Ada Holm | Rent: 900 |"
    for texts in ([f"{names}\n{row}"], [names, row]):
        hits = [Hit(Chunk("a.csv", n, t, "", 1, 2), 1.0, 0.0, 0.0) for n, t in enumerate(texts)]
        assert [one.text for one in candidates(hits)] == [row]
    assert [one.text for one in candidates([Hit(Chunk("a.csv", 0, names, "", 1, 1), 1, 0, 0)])]

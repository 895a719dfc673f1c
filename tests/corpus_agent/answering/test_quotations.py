from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.answering.comparable import Signs
from corpus_agent.answering.quotations import check_quotation, locate
from indexer.records import Line
from tests.support.cost import processor_seconds
from tests.support.fakes import MemoryCorpus

LEASE = """# Lease

The deposit is £1,130 and is
held by the Landlord until the
tenancy ends on 30 June 2026.

Notice: two months. The well-known rule of the house ap-
plies to all ﬂats: no noise after 22:30.
“Quiet” – please.
"""
CORPUS = MemoryCorpus({"lease.md": LEASE, "book.pdf": ["First page text.", "Second page\ntext."]})


def is_whole_or_unverified(text: str, quote: str) -> bool:
    """Whether a piece of a sentence is verified with the whole of it alone."""
    found = check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", quote, 1)
    return found.verdict != "verified" or found.quote.split() == text.split()


def verdict_in(text: str, quote: str) -> str:
    return check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", quote).verdict


def test_a_sentence_within_a_struck_paragraph_is_struck():
    quote = "The seller repays the price."
    for text, struck in {
        f"~~We met. {quote} We left.~~": True,
        f"~~We\nmet. {quote}\nWe left.~~ So it was.": True,
        f"~~{quote}~~": True,
        f"~~We met.~~ {quote} ~~We left.~~": False,
        f"The sum is ~~50. {quote}": False,  # nothing ends it
        f"~~We met.\n\n{quote}~~": False,  # of another paragraph
    }.items():
        found = check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", quote)
        assert (found.stands, found.struck) == (True, struck), text


def verdict(quote: str, line: int = 3) -> tuple[str, int, int]:
    citation = check_quotation(CORPUS, 1, "lease.md", quote, line)
    return citation.verdict, citation.line_start, citation.line_end


NOTES = (
    "The deposit is held by [[Bank|the savings bank]] until [[Lease end]]. ^deposit\n"
    "It was 10 ^2 metres and 3 ^abc1 high.\n"
)
SAUNA = "The sauna by the harbour opens at seven every morning."
STANDS = (
    # spacing, hyphenation, ligatures, typography and what no reader sees
    (
        LEASE,
        "The deposit is £1,130 and is held by the Landlord until the tenancy ends on 30 June 2026.",
    ),
    (LEASE, "held by  the\nLandlord until\tthe tenancy ends"),
    (LEASE, "the house applies to all flats"),
    (LEASE, "The well-known rule"),
    (LEASE, "held by the Land-\nlord until the ten-\nancy ends"),
    (LEASE, 'all ﬂats: no noise after 22:30. "Quiet" - please.'),
    ("⚠\ufe0f Warning: the de\u00adposit is due.", "⚠ Warning: the deposit is due."),
    ("ice cubes\n- curry leaves – dried", "cubes - curry leaves - dried"),
    # links between notes
    (NOTES, "The deposit is held by the savings bank until Lease end."),
    (NOTES, "The deposit is held by [[Bank|the savings bank]] until [[Lease end]]."),
    # numbers
    ("a gap of 0.5 mm.", "0.5 mm"),
    ("Serves 12. Peel two apples.", "Serves 12. Peel two apples."),
    ("The old motor lasts until 2012. Then stop.", "The old motor lasts until 2012"),
    ("stored at -18 °C", "-18 °C"),
    ("- 18 kg sack of flour", "18 kg sack of flour"),
    ("the owner's manual, page 3 of 5", "the owner's manual, page 3 of 5"),
    ("1.130 Einwohner", "1.130 Einwohner"),
    # rows of tables, their cells parted in another way
    ("| 4 | vacant | £38.00 |", "4 vacant £38.00"),
    ("Okell   17   March", "Okell | 17 | March"),
    # as people write a quotation
    (SAUNA, "...sauna by the harbour opens at seven every morning."),
    (SAUNA, "The sauna by the harbour opens at seven …"),
    (SAUNA, "the sauna by the harbour opens at seven every morning,"),
    (SAUNA, "[t]he sauna by the harbour opens at seven every morning."),
    (SAUNA, "The **sauna** by the harbour opens at _seven_ every morning."),
    (SAUNA, "> The sauna by the harbour\n> opens at seven every morning."),
)
DIFFERS = (
    *((text, quote.replace("seven", "eight")) for text, quote in STANDS if text == SAUNA),
    *((LEASE, quote) for quote in ("The deposit is £1,140 and is", "The deposit is £113")),
    *((LEASE, quote) for quote in ("tenancy ends on 30 June 2025.", "no noise after 22:3")),
    *((LEASE, quote) for quote in ("The deposit is £1,130 and was", "The Deposit Is")),
    (NOTES, "The deposit is held by Bank the savings bank until Lease end."),
    (NOTES, "The deposit is held by [[Bank]] until Lease end."),
    *((NOTES, quote) for quote in ("It was 10 metres", "3 high.")),
    ("about 10² metres", "about 102 metres"),
    ("The fee is <b\nnot> refundable after May.", "The fee is refundable after May."),
    ("| 4 | 5 | £38.00 |", "45 £38.00"),
    # words that are not there are not cut
    ("The Tenant may not keep dogs in the flat.", "The Tenant of the flat may"),
    ("The Tenant of the flat may not keep dogs.", "The Tenant of the old flat may"),
)


def test_what_stands_in_a_document_is_verified_however_it_is_written_and_nothing_else():
    assert [pair for pair in STANDS if verdict_in(*pair) != "verified"] == []
    unlike = ("altered", "not_found", "partial")
    assert [pair for pair in DIFFERS if verdict_in(*pair) not in unlike] == []


def test_a_piece_of_a_run_without_stops_is_widened_to_what_stands_around_it():
    before = "สัญญาเช่านี้มีกำหนดระยะเวลาหนึ่งปี " * 20
    clause = "ผู้เช่าต้องไม่เลี้ยงสัตว์ในห้องพัก"
    corpus = MemoryCorpus({"a.md": f"{before}{clause} ผู้ให้เช่าจะคืนเงินประกันภายในสามสิบวัน"})
    found = check_quotation(corpus, 1, "a.md", "เลี้ยงสัตว์ในห้อง")
    assert found.verdict == "verified" and clause in found.quote  # with its "not"
    assert check_quotation(corpus, 1, "a.md", "เลี้ยงสุนัขในห้อง").verdict != "verified"


def test_the_span_is_the_sources_own_text():
    citation = check_quotation(CORPUS, 1, "lease.md", "the house applies to all flats", 8)
    assert citation.quote.startswith("The well-known rule of the house ap-\nplies to all ﬂats:")
    assert (citation.line_start, citation.line_end) == (7, 9)


def test_an_altered_quotation_comes_with_the_passage_it_resembles_also_over_line_ends():
    assert verdict("The deposit is £1,140 and is") == ("altered", 3, 3)
    quote = "The deposit is £1,130 and is kept by the Landlord until the tenancy ends"
    assert verdict(quote) == ("altered", 3, 5)


def test_a_fabricated_quotation_and_an_unknown_source_are_not_found():
    for quote in ("The tenant may keep two llamas", "First page text.", "…—!"):
        assert verdict(quote)[0] == "not_found"
    assert check_quotation(CORPUS, 1, "none.md", "The deposit", 1).verdict == "not_found"


def test_a_quotation_far_from_the_claimed_place_is_moved():
    lines = [Line("filler")] * 100 + [Line("The pump below deck is red.")]
    assert locate(lines, "The pump below deck is red.", near_line=1)[3] == "moved"
    assert locate(lines, "The pump below deck is red.", near_line=90)[3] == "verified"


def test_a_line_beyond_the_end_still_finds_the_quotation():
    assert verdict("two months", line=4_000)[0] == "moved"


def test_a_quotation_over_a_page_end_is_found_and_the_mark_is_not_text():
    found = check_quotation(CORPUS, 1, "book.pdf", "page text. Second page", 2)
    assert (found.verdict, found.page) == ("verified", 1)
    marked = check_quotation(CORPUS, 1, "book.pdf", "--- Page 2 ---", 2)
    assert marked.verdict == "not_found"


@pytest.mark.slow
@given(st.data())
def test_every_run_of_whole_words_of_a_document_is_verified_or_cut(data):
    lines = LEASE.splitlines()
    number = data.draw(st.sampled_from([n for n, line in enumerate(lines, 1) if line.split()]))
    words = lines[number - 1].split()
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = " ".join(words[start:end])
    if any(char.isalnum() for char in quote):
        assert verdict(quote, number)[0] in ("verified", "partial")


PIECES = [
    # a number
    ("a gap of 0.5 mm", "5 mm"),
    ("table 1 20 kg", "table 120 kg"),
    ("table 120 kg", "table 1 20 kg"),
    ("10² metres", "10 metres"),
    ("stored at - 18 °C in the cold room", "18 °C in the cold room"),
    ("the pond holds exactly 1, 234 litres of water", "exactly 1,234 litres of water"),
    ("这座水库储存了二千三百吨清洁的饮用水", "三百吨清洁的饮用水"),
    ("这座水库储存了12万吨清洁的饮用水", "这座水库储存了12"),
    # what a piece depends on: nothing of it is left out
    ("The Tenant of this house may not keep large dogs.", "The Tenant of this house may"),
    ("租户在合同期间不得在花园里饲养宠物。", "在花园里饲养宠物"),
    ("A non-\nrefundable deposit paid by all guests.", "refundable deposit paid by all guests"),
    ("An un\u00adtrue report about the harbour.", "true report about the harbour"),
    # mark-up, brackets and marks of quotation round the word
    ("Guests may <b>never</b> use the old harbour sauna.", "use the old harbour sauna"),
    ("客人**不得**在港口的旧桑拿房过夜。", "在港口的旧桑拿房过夜"),
    ("The sauna is un*limited* in opening hours.", "limited* in opening hours"),
    # lists and infinitives
    ("Guests must not:\n(a) light candles in the cabin;", "light candles in the cabin"),
    ("Not covered: broken windows, doors and locks.", "broken windows, doors and locks"),
    ("Il est interdit de :\n- fumer dans la vieille cabane", "fumer dans la vieille cabane"),
    ("严禁：在木屋里点蜡烛和吸烟。", "在木屋里点蜡烛和吸烟"),
    # a few words away
    ("Guests may light candles; except in summer.", "Guests may light candles"),
    ("| Candles allowed in the cabin | No |", "Candles allowed in the cabin"),
    ("- [ ] Candles allowed in the cabin", "Candles allowed in the cabin"),
    # bounds, ranges, signs, scales, compounds
    ("Die Hütte ist vom 7. Mai bis 9. Juni geschlossen.", "Die Hütte ist vom 7. Mai"),
    ("木屋的租金为70元至90元。", "木屋的租金为70元"),
    # a sign behind, and the brackets of an account
    ("Net result: 70 CHF-\nof the cabin", "Net result: 70 CHF"),
    ("| Net result of the cabin | 70 % - |", "Net result of the cabin | 70 %"),
    ("Der alte Kessel kostet 5 Tsd. Euro im Jahr.", "Der alte Kessel kostet 5 Tsd."),
    ("技术人员在检查中记录了负五度的数值", "技术人员在检查中记录了负五"),
    # what is no sentence by itself, and what goes on behind a stop, an empty line, a page
    ("VOID. The holder sails for free.", "The holder sails for free."),
    ("The tank is sound. Untrue!", "The tank is sound."),
    ("We repay in thirty days. [Repealed by § 9]", "We repay in thirty days."),
    ("We repay in thirty days.\n[Repealed by § 9] †", "We repay in thirty days."),
    ("We repay in thirty days. *[Repealed by § 9]* We pay it now.", "We repay in thirty days."),
    ('We repay in thirty days. "[Repealed by § 9];"', "We repay in thirty days."),
    ("We repay in thirty days. 【Repealed by § 9】¹", "We repay in thirty days."),
    ("We repay in thirty days. – Repealed by § 9.", "We repay in thirty days."),
    ("假的。客人可以在木屋里过夜和吸烟。", "客人可以在木屋里过夜和吸烟。"),
    ("“The debt was paid!” lied the clerk.", "The debt was paid!"),
    ("It is no fact that\n\nthe ferry sails in winter.", "the ferry sails in winter."),
    ("The yard never saw…\n\n…the boat come back.", "the boat come back."),
    ("Their terms say:\n\n> Guests may cancel for free.", "Guests may cancel for free."),
    ("We pay no:\n\n(i) harm by wind\n\n(ii) The weight of snow.", "The weight of snow."),
    ("The pass is free.[^1]", "The pass is free."),
    ("Leave undone:\n\n- Below deck:\n  - Close the valve.", "Close the valve."),
]


def test_a_piece_of_a_sentence_is_widened_to_the_whole_or_not_verified():
    found = {(text, piece): is_whole_or_unverified(text, piece) for text, piece in PIECES}
    assert [pair for pair, whole in found.items() if not whole] == []


def test_a_passage_in_capitals_may_be_quoted_in_small_letters_but_no_letter_becomes_two():
    text = "THE FERRY SAILS DAILY.\nMASSE UND GEWICHT.\nMAßE UND GEWICHT."
    for quote, line in {
        "The ferry sails daily": 1,
        "Masse und Gewicht": 2,
        "Maße und Gewicht": 3,  # not "MASSE"
    }.items():
        found = check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", quote)
        assert (found.verdict, found.line_start) == ("verified", line), quote
    assert verdict_in("MASSE UND GEWICHT.", "Maße und Gewicht") != "verified"


def test_what_somebody_else_says_in_the_next_line_is_another_sentence():
    text = "— Good morning to all.\n— How are you today?\n— Very well, thank you all."
    found = check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", "How are you today?")
    assert (found.verdict, found.quote) == ("verified", "— How are you today?")


def test_of_many_places_the_one_next_to_the_line_is_quoted():
    text = "\n\n".join(["a a a."] * 100)
    for near in (1, 2, 51, 52, 100, 199):
        found = check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", "a a a", near)
        assert (found.verdict, found.line_start) == ("verified", near + (near % 2 == 0))


@given(st.text(alphabet="ab -–\u00ad1 2ﬁ²é\t.", max_size=40))
def test_each_word_that_is_compared_knows_where_it_came_from(text):
    signs = Signs(text, linked=False, broken=True)
    for start, end in signs.spans:
        part = replace(signs, text=text[start:end])
        assert signs.nearest(part, start) == (start, end)


def test_a_page_end_hides_no_negation():
    corpus = MemoryCorpus({"a.pdf": ["Guests may not", "light candles in the cabin."]})
    found = check_quotation(corpus, 1, "a.pdf", "light candles in the cabin.", 3)
    assert found.quote == "Guests may not\nlight candles in the cabin."


def test_a_chinese_clause_stands_whole_behind_its_number():
    clause = "客人每天早上七点使用港口的桑拿房。"
    assert verdict_in(f"3.2 {clause}", clause) == "verified"
    beside = MemoryCorpus({"a.md": f"木屋在港口的东边。{clause}"})  # nine signs are a sentence
    assert check_quotation(beside, 1, "a.md", clause).quote == clause


def test_words_are_parted_as_they_are_and_mark_up_says_nothing():
    for there, quoted, wanted in (
        ("The children are nowhere allowed to cycle", "The children are now here allowed", None),
        ("The policy is notable for its terms", "The policy is not able for its terms", None),
        ("The members re-sign the garden lease", "The members resign the garden lease", None),
        ("The members resign the garden lease", "The members re-sign the garden lease", None),
        ("The members re-\nsign our lease", "The members resign our lease", "verified"),
        ("The tenant [keeps dogs](x.md) at home", "The tenant keeps dogs at home", "verified"),
        ("The tenant [keeps dogs](x.md) at home", "The tenant [keeps dogs](y.md) at home", None),
        ("The tenant[1] keeps dogs at home", "The tenant keeps dogs at home", "verified"),
        ("The tenant[1] keeps dogs at home", "The tenant[2] keeps dogs at home", None),
        ("The tenant&nbsp;keeps<br>dogs at home", "The tenant keeps dogs at home", "verified"),
        ("THE TENANT KEEPS DOGS AT HOME", "The tenant keeps dogs at home", "verified"),
        ("The Tenant keeps dogs at home", "the tenant keeps Dogs at home", None),
        ("THE PLANT YIELDS 5 MW EVERY DAY", "The plant yields 5 mW every day", None),
    ):
        found = locate([Line(text) for text in there.split("\n")], quoted)
        assert (found and found[3] in ("verified", "moved")) == bool(wanted), (there, quoted)


@pytest.mark.parametrize("there", ["sublet the flat.", "The flat may be sublet."])
def test_a_line_like_the_mark_of_a_page_ends_no_sentence(there):
    lines = (Line("In no event shall"), Line("- - - Page 9 ---"), Line(there), Line(""))
    found = check_quotation(MemoryCorpus({"a.md": lines}), 1, "a.md", there, 3)
    assert (found.verdict, found.quote) == ("verified", f"In no event shall {there}")


@pytest.mark.slow
def test_a_text_that_repeats_itself_is_compared_in_time_as_its_length():
    def seconds(lines: int) -> float:
        text = "\n".join(["rent 900 EUR " * 40] * lines)
        quote = "rent 900 EUR " * 80 + "rent 90"
        begun = processor_seconds()
        assert check_quotation(MemoryCorpus({"a.md": text}), 1, "a.md", quote).verdict == "altered"
        return processor_seconds() - begun

    seconds(5)  # its patterns are compiled
    few, many = (min(seconds(lines) for _ in range(3)) for lines in (10, 40))  # others run beside
    assert many < 8 * few  # each of its periods is a place: 4 times as many; pairs would be 16

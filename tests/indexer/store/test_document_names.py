"""Documents that a query names, however people say the name."""

import pytest

from indexer.files.paths import file_stem
from indexer.store.document_names import Names, Period

FINCH = ("BLUEFINCH_2021_10K.pdf", "BLUEFINCH_2023Q2_10Q.pdf")
HARROW, FOUR, MARTEN = "Harrow_Harrow_2022.pdf", "4K_2018.pdf", "reports/marten.pdf"
OTTER, PLAIN = "NORTHOTTERLINES_2020.pdf", "notes.md"
NAMES = Names((*FINCH, HARROW, FOUR, MARTEN, OTTER, "2024-03-05 Vole ZÜRICH.pdf", PLAIN))


@pytest.mark.parametrize(
    ("query", "full", "short"),
    [
        ("What did Blue Finch earn?", FINCH, ()),
        ("What did BlueFinch's stores earn?", FINCH, ()),
        ("Who leads Harrow & Harrow?", (HARROW,), ()),
        ("Who leads Harrow and Harrow?", (HARROW,), ()),
        ("Who leads HnH, and who J&J?", (), (HARROW,)),
        ("Who leads H&H?", (), (HARROW,)),
        ("What are the sales of 4K?", (FOUR,), ()),
        ("Who chairs Marten?", (MARTEN,), ()),
        ("What does Vole Zurich owe?", ("2024-03-05 Vole ZÜRICH.pdf",), ()),
        ("Are Bluef's sales up?", (), FINCH),  # its beginning
        ("Are NOLI's sales up?", (), (OTTER,)),  # its capitals
        ("Are NOZI's sales up?", (), ()),
        ("Are BFH's sales up?", (), FINCH),  # as a ticker
        ("which notes speak of finches?", (), ()),  # no name
        ("What did Kestrel earn in 2021?", (), ()),
    ],
)
def test_names_are_found_however_they_are_said(query, full, short):
    found, shortened = NAMES.find(query)
    assert found == set(full)
    assert frozenset().union(*shortened.values()) == set(short)


def test_what_most_documents_are_called_tells_nothing_apart():
    many = [f"bluefinch-{n}.pdf" for n in range(4)]
    assert Names(many).find("What did Bluefinch earn?") == (frozenset(), {})
    assert Names([*many, *SOME]).find("What did Bluefinch earn?") == (set(many), {})


SOME = ("a.md", "b.md", "c.md", "d.md")


def test_whoever_names_a_document_means_those_whose_names_go_on_after_its_own():
    lease, other = ("lease.md", "lease-amendment.pdf"), "leasehold.md"
    assert Names([*lease, other, *SOME]).find("When does the Lease end?") == (set(lease), {})
    assert Names([other, *SOME]).find("When does the Lease end?")[0] == set()
    more = (*lease, "lease-annex.md", "lease-notice.md")  # too many to be meant
    assert Names([*more, *SOME]).find("When does the Lease end?") == ({"lease.md"}, {})
    assert Names([*more, *SOME]).find("When was the Lease Amendment signed?")[0] == set(lease)


def test_the_changes_of_a_document_have_the_words_of_its_name():
    changes = {
        "van-lease.md": {"van-lease-amendment.pdf", "First Amendment to Van Lease 2025.docx"},
        "Harbour Street lease 2019.docx": {"Harbour Street deed of variation.docx"},
        "Wartungsvertrag_2024.md": {"Nachtrag Wartungsvertrag Nr 2.pdf"},
        "flat-3-lease.md": {"flat-3-lease-amendment.md"},
    }
    others = (
        *("flat-4-lease.md", "garden-rules.md", "garden-extension.md", "usb-cable.md"),
        *("usb-extension cable.md", "car-lease.md", "amendment-to-lease.md", "amendment.md"),
    )
    names = Names([*changes, *others, *set().union(*changes.values())])
    found = {source: set(own) for source in names.periods if (own := names.amendments(source))}
    assert found == changes


@pytest.mark.parametrize(
    ("text", "years", "quarters"),
    [
        ("BESTBUY_2024Q2_10Q", "24", "2"),
        ("Q2 of FY2024 and FY'23, Q32022", "24 23 22", "2 3"),
        ("8K_dated-2022-08-19, line 120178, EQ4", "22", ""),
    ],
)
def test_periods_are_read_as_reports_write_them(text, years, quarters):
    assert Period.of(text) == Period(frozenset(years.split()), frozenset(quarters.split()))


def test_of_several_reports_that_of_the_last_year_and_the_quarter_is_nearest():
    reports = ["X_2019.pdf", "X_2021.pdf", "X_2021Q3.pdf", "X_2022.pdf"]
    for query, best in (("X in 2019 to 2021", 1), ("X in Q3 of FY21", 2), ("X in 2023", 3)):
        near = Names(reports).nearness(reports, query)
        assert max(reports, key=near.__getitem__) == reports[best]


def test_the_name_of_a_store_is_no_part_of_a_files_name():
    stems = {"a:b.md": "b", "a/b:c.md": "b:c", "Re: lease.md": "Re: lease", "b.md": "b"}
    assert {source: file_stem(source) for source in stems} == stems

"""Units of a text: sentences, rows of figures, properties of a note; the tables of its lines."""

import time
from pathlib import Path

from corpus_agent.text.sentences import MOST_WITHOUT_STOPS, front_matter, units
from corpus_agent.text.tables import (
    MAX_LINES_ABOVE,
    TextTable,
    named_cells,
    names_above,
    names_of_columns,
    tables_of,
)


def cut(text: str, language: str = "") -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text, language)]


def test_rows_of_figures_and_the_line_of_their_years_are_units_of_their_own():
    text = "Stores at the end were as follows:\nFiscal 2024 Fiscal 2023\nBest 907 925\nOther 20 21"
    assert cut(text) == text.split("\n")
    prose = "In the years that were looked at the number of all stores grew\nfrom 907 in 2024."
    assert cut(prose) == [prose]


NUMBERED = {
    "it": ("La polizza n. 2290/71 del Comune.", "Si veda l'art. 12 a pag. 4, sez. 2 e prot. 45."),
    "pl": ("Zobacz str. 12 i poz. 3 oraz pkt. 4.",),
    "": ("POLIZZA n. 2290/71 del 3 maggio.", "See sec. 4, para. 3 and ch. 2."),
}


EMPHASISED = {
    "3. **Quay wall.** The board pays. Nobody objects.": [
        "3. **Quay wall.** The board pays.",
        "Nobody objects.",
    ],
    "- __Dogs!__ None are allowed.": ["- __Dogs!__ None are allowed."],
    "We pay. **Never be late.** Then we go.": ["We pay.", "**Never be late.**", "Then we go."],
    "He said *nothing.* And left.": ["He said *nothing.*", "And left."],
    # Controls: no emphasis is open, or the mark begins the next one.
    "The sum is 5. * Without tax.": ["The sum is 5. * Without tax."],
    "We left. **They stayed.**": ["We left.", "**They stayed.**"],
}


RUN_ON = (
    ("en", "A. Rowe may use the upper workshop of the mill for the year from\n1 April 2024."),
    ("en", "Please pay the rent for the mooring before the end of\n5 May, else a fine is due."),
    ("en", "Whoever keeps a boat in the inner basin of the harbour owes\n250 pounds a year."),
    ("en", "Whoever keeps a boat in the inner basin of the harbour owes\n2.5 % of its price."),
    ("en", "1. The term runs from\n1 April 2024 to\n31 March 2025."),
    ("de", "Die Miete für den Bootsschuppen ist spätestens bis zum\n3. Werktag zu zahlen."),
    ("zh", "如果业主大会在六月底以前没有人提出反对意\n见，物业公司将退还全部停车押金。"),
)
LISTS = (
    "For the dough\n1 Flour\n2 Sugar",
    "What is needed\n2 cups of flour\n1 egg\n250 ml of milk",
    "Steps\n1. Mix the flour.\n2. Bake it.",
    "The parties agree to\n1. pay the rent\n2. keep the roof dry",
    "The parties agree to\n1) pay the rent",
    "The parties agree to\n(1) pay the rent",
    "Agenda of the meeting of the boat club on the second of May\n1 Welcome\n2 Budget\n3 Any other",
    (
        "The days of the festival of the harbour, with all that happens\n"
        "1 May a market with music on the quay, and dances until the night\n"
        "3 May a regatta of old boats, and fireworks when the last is home"
    ),
    (
        "250 g of flour that was sifted twice and then mixed with the cocoa\n"
        "100 g of butter at room temperature, and cut into cubes for that"
    ),
    "All of it was paid in full at the end of the month of March.\n5 May is the next day to pay.",
    "Kiln Lane Housing\n12 Kiln Lane\nThe rent of the flat was raised in the spring of the year.",
)


OTHER_STOPS = {
    "ja": (("彼は来た。", "「行くよ。」と言った。", "終わり！"),),
    "zh": (("他说：“我走。”", "她留下了！"),),
    "hi": (("किराया मासिक है।", "जमा वापस होगा।"),),
    "ar": (("هل انتهى العقد؟", "نعم.", "يدفع المستأجر."),),
}


def test_a_script_without_stops_is_cut_at_spaces_where_it_is_too_long_to_be_verified_whole():
    denied = "ไม่เป็นความจริงที่ว่า ผู้เช่าเป็นเจ้าของโรงรถ"  # "it is not true that", then what is not
    assert cut(denied, "th") == [denied]
    pieces = cut(" ".join([denied] * 40), "th")
    assert " ".join(pieces) == " ".join([denied] * 40)
    assert all(MOST_WITHOUT_STOPS / 2 < len(piece) <= MOST_WITHOUT_STOPS for piece in pieces[:-1])


ONE = [
    *((language, text) for language, texts in NUMBERED.items() for text in texts),
    *(
        ("en", text)
        for text in ("He may leave on the 3. and only then.", "They owe $ 5. 000 a year.")
    ),
    *RUN_ON,
]
SEVERAL = [
    *(("", text, text.split("\n")) for text in LISTS),
    *(("", text, sentences) for text, sentences in EMPHASISED.items()),
    # Before a word an abbreviation may end one, and a word that is none does before a figure.
    ("it", "Lo dice a p. es. pag. Nessuno lo nega.", ["Lo dice a p. es. pag.", "Nessuno lo nega."]),
    ("it", "Il prezzo sale. 12 soci votano.", ["Il prezzo sale.", "12 soci votano."]),
    ("en", "The fee is 45. The deposit is 90.", ["The fee is 45.", "The deposit is 90."]),
]


def test_a_text_is_cut_where_its_sentences_end():
    wanted = [*((language, text, [text]) for language, text in ONE), *SEVERAL]
    for language, texts in OTHER_STOPS.items():
        for sentences in texts:
            text = ("" if language in ("ja", "zh") else " ").join(sentences)
            wanted += [(language, text, [*sentences]), ("", text, [*sentences])]
    found = [(text, cut(text, language), parts) for language, text, parts in wanted]
    assert [each for each in found if each[1] != each[2]] == []


def test_a_number_said_again_in_figures_begins_no_item():
    notice = "They give notice within\nthirty\n(30) days of it, and pay.\n"
    listed = (
        "within:\n(30) days of it.",
        "Rooms: three\n(3) Kitchens: one",
        "part (2)\n(2) the rest",
    )
    assert [len(units(text)) for text in (notice, *listed)] == [1, 2, 2, 2]


def test_hardly_an_abbreviation_of_seven_languages_ends_a_sentence():
    rows = Path(__file__).with_name("abbreviations.tsv").read_text("utf-8").splitlines()
    wrong = [row for row in rows if len(cut(row.split("\t")[2], row[:2])) != 2]
    assert (len(rows), len(wrong)) <= (504, 17), wrong


PROSE = "The pear tree blossoms in April. It is old."


def test_each_property_is_one_unit_and_the_prose_behind_is_cut_as_ever():
    for text, wanted in {
        "---\ntitle: Pears\nauthor: Ida Kolb\n---\n": ["title: Pears", "author: Ida Kolb"],
        "---\ntags:\n  - tree\n  - fruit\ndate: 2024-05-02\n...\n":
            ["tags:\n  - tree\n  - fruit", "date: 2024-05-02"],
        "+++\ntitle = 'Birnen'\ndate = 2024-05-02\n+++\n":
            ["title = 'Birnen'", "date = 2024-05-02"],
        "#+TITLE: Poires\n#+DATE: <2024-05-02>\n": ["#+TITLE: Poires", "#+DATE: <2024-05-02>"],
        "---\n# a comment\ndue date: 3 May\nsummary: >\n  Two\n  lines.\n---\n":
            ["due date: 3 May", "summary: >\n  Two\n  lines."],
    }.items():  # fmt: skip
        kinds = [unit.kind for unit in units(text + PROSE)]
        assert kinds == ["property"] * len(wanted) + ["text"] * 2
        assert cut(text + PROSE) == [*wanted, "The pear tree blossoms in April.", "It is old."]


def test_rulers_around_prose_and_labels_below_the_top_are_no_front_matter():
    for text in (
        f"---\n{PROSE}\n---\nMore.",
        "---\nNote: the tree\nand then prose\n---\n",
        "---\n\n---\nText.",
        "---",
        "",
        f"{PROSE}\n\n---\ntitle: Pears\n---\n",
        f"---\ntitle: {PROSE}\n",  # never closed
    ):
        assert front_matter(text) == ([], 0), text


def test_the_tables_of_a_text():
    for text, tables in (
        ("| Date | Sum |\n| Date: May | Sum: 3 |\n| Sum: 4 |", [(1, ("Date", "Sum"), (2, 3))]),
        ("text\n| A | B |\n|---|---:|\n| x | |\n\n| z | 3 |", [(2, ("A", "B"), (4,))]),
        ("| A | B |\n| A: 1 | B: 2 |\n| C | D |\n| C: 3 | D |",
         [(1, ("A", "B"), (2,)), (3, ("C", "D"), (4,))]),
        ("plain", []),
        ("| 1 | 2 |\n| 3 | 4 |", []),
        ("| A | B |\n| B: 1 | A: 2 |", []),  # not in the order of the names
    ):  # fmt: skip
        assert list(tables_of(text.split("\n"))) == [TextTable(*each) for each in tables], text


def test_each_cell_of_a_row_has_its_column():
    names = ("Payee", "Sum")
    for row, known, cells in (
        ("| Ash | 3 |", names, "Payee Ash, Sum 3"),
        ("| Sum: 3 |", names, "Sum 3"),
        ("| Ash | 3 | 4 |", names, " Ash,  3,  4"),
        ("| Ash \\| Co | 3 |", names, "Payee Ash \\| Co, Sum 3"),
        ("| Who: Ash | 3 |", names, "Payee Who: Ash, Sum 3"),
        ("| Who: Ash | 3 |", (), "Who Ash,  3"),
    ):
        assert ", ".join(f"{n} {row[a:b]}" for n, a, b in named_cells(known, row)) == cells, row


ROWS = {
    "2023 2022 2021": "Rent 18,400 17,900 17,150",
    "($ million) June 30, 2022 June 30, 2023": "Debt 6,340 6,653",
    "Years ended December 31, 2018 2017 2016": "Sales growth 9.5 % 4.8 % — %",
    "Q1 2024 Q2 2024": "Umsatz 1.204,5 (88,0)",
    "31.12.2023 31.12.2022": "Eigenkapital 12 –",
    "Note 2023 2022": "Total 4 5",
    "            Adult   Child under six": "Night ferry    8.50    4.25",
    "Route\tAdult\tChild": "Ferry\t8.50\t4.25",
}
DOUBTFUL = (
    ["2023 2022 2021", "Rent 18,400 17,900"],  # more names than figures
    ["2023 2022", "2021 2020 2019", "Rent 18,400 17,900"],  # another table is nearer
    ["2023 2022", "The rent rose by far more than the harbour board had expected it to do.",
     "Rent 18,400 17,900"],
    ["2023 2022", "Okafor Tern B12"],
    ["Adult Child", "Ferry 8.50 4.25"],  # three words may be one column or three
    ["Valid from   June", "Ferry   8.50", "Tram   8.50   4.25   2.10"],
    ["2023 2022", *["Assets"] * MAX_LINES_ABOVE, "Rent 18,400 17,900"],
    ["2023 2022", "2021 2020"],  # a header is no row
    [],
)  # fmt: skip


def test_a_line_of_as_many_periods_or_labels_names_the_columns_of_a_row():
    for header, row in ROWS.items():
        assert names_of_columns([header, "Assets", row]) == (0, 0), header
    table = ["(in millions) 2023 2022", "Fees 41,200 39,850", "Rent:", "Berths $ 18,400 $ (17,900)"]
    assert names_of_columns(["2020 2019", *table]) == (1, 1)  # the nearest
    for lines in DOUBTFUL:
        assert names_of_columns(lines) is None, lines


LEAD = "What the harbour took and gave in all of its boats is as follows (amounts in millions):"
STACKED = (
    ("July 2,|2023|July 3,|2022|Rent 18 17", "July 2, 2023 July 3, 2022"),
    ("(MILLIONS)|May 2,|2023 May 1, 2022|Rent 18 17", "(MILLIONS)|May 2,|2023 May 1, 2022"),
    ("Sheet|(in millions)|June 1,|2023|June 1,|2022|Assets|Rent 18 17",
     "Sheet|(in millions)|June 1, 2023 June 1, 2022"),
    ("May 28, May 29,|2023 2022|Rent 18 17", "May 28, May 29,|2023 2022"),
    ("2023 2022|(In thousands)|Rent 18 17", "2023 2022|(In thousands)"),
    (f"{LEAD}|2023 2022|Rent 18 17", f"{LEAD}|2023 2022"),
    (f"{LEAD[:-2]}.|2023 2022|Rent 18 17", "2023 2022"),  # a sentence
    ("In millions|2023 2022|Rent 18 9.1% 17 8.9%", "In millions|2023 2022"),
    ("Q1 Q2 Q3 Q4 FULL YEAR|Rent 1 2 3 4 10", "Q1 Q2 Q3 Q4 FULL YEAR"),
    ("2023 2022 (Decrease)|Rent 18 17 (1)", "2023 2022 (Decrease)"),
    ("2023 2022|Sales 5 4|Budget 2031 Budget 2030|Rent 18 17", ""),  # of another kind
    ("(In thousands)|2023 2022|Slip 5 4|(In millions)|Rent 18 17", "2023 2022|(In millions)"),
    ("(In millions)|2021 2020|Slip 5 4|2023 2022|Bollards 18 17", "2023 2022"),  # of another table
    ("2023 2022|Slip 5 4|Quays|£ in millions|East West|Rent 18 17", ""),
    ("2023 2022|Slip 5 4|2023 East West|Rent 18 17", ""),
    ("2023 Annual Report|Rent 18 17", ""),
    ("2023 2022 2021|2023 Annual Financial Report|Rent 18 17 16", "2023 2022 2021"),
    ("Dues|£ in millions|2023 East West All|Slip 5 4 9|Rent 18 17 35",
     "Dues|£ in millions|2023 East West All"),
    ("2023 2022|2023 as restated|Rent 18 17", "2023 2022"),
    ("2023 2022|Net sales|(in thousands)|Rent 18 17", "2023 2022|(in thousands)"),
    ("2023|Rent 18 17", ""),  # one year names no two columns
)  # fmt: skip


def test_names_below_each_other_and_the_unit_are_shown_above_a_row():
    for lines, expected in STACKED:
        assert "|".join(names_above(lines.split("|"))) == expected, lines


def test_a_long_line_of_figures_takes_no_time():
    begun = time.process_time()
    for tail in ("1 " * 1_000 + "x", "1" * 2_000 + "x", "2023 " * 400 + "x", "1,2." * 500):
        names_of_columns(["2023 2022", tail])
    assert time.process_time() - begun < 1

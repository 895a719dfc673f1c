"""Units of a text: rows of figures that have lost their cells, and abbreviations."""

from corpus_agent.text.sentences import units


def test_rows_of_figures_and_the_line_of_their_years_are_units_of_their_own():
    text = "Stores at the end were as follows:\nFiscal 2024 Fiscal 2023\nBest 907 925\nOther 20 21"
    found = [text[unit.start : unit.end] for unit in units(text)]
    assert found == text.split("\n")
    prose = "In the years that were looked at the number of all stores grew\nfrom 907 in 2024."
    assert [prose[unit.start : unit.end] for unit in units(prose)] == [prose]


NUMBERED = {
    "it": ("La polizza n. 2290/71 del Comune.", "Si veda l'art. 12 a pag. 4, sez. 2 e prot. 45."),
    "fr": ("Réf. 1234 du dossier.", "Contrat n° 45, art. 12, p. 33 et chap. 4."),
    "es": ("La póliza núm. 2290 y la pág. 12.", "El n.º 45 y las págs. 3 a 5."),
    "de": ("Vertrag Nr. 5, S. 12, Ziff. 2 und Art. 4.",),
    "pt": ("A apólice n. 45 e a pág. 3.",),
    "pl": ("Zobacz str. 12 i poz. 3 oraz pkt. 4.",),
    "": ("POLIZZA n. 2290/71 del 3 maggio.", "See sec. 4, para. 3 and ch. 2."),
}


def test_an_abbreviation_before_a_figure_ends_no_sentence():
    for language, texts in NUMBERED.items():
        for text in texts:
            found = [text[unit.start : unit.end] for unit in units(text, language)]
            assert found == [text], language
    # Before a word it may end one, and a word that is no abbreviation does before a figure.
    for text in ("Lo dice a p. es. pag. Nessuno lo nega.", "Il prezzo sale. 12 soci votano."):
        assert len(units(text, "it")) > 1, text

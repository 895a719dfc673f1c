"""Clauses begin sentences, within a line too; references to clauses begin none."""

from corpus_agent.text.clause_marks import clause_starts
from corpus_agent.text.sentences import units

CLAUSES = (
    "§1 Mietsache Vermietet wird die Wohnung im Hof / §2 Miete Die Miete beträgt 840 Euro",
    "Satzung / § 1 Name Der Verein heißt Rotbuche / § 2 Zweck Zweck ist die Pflege des Waldes",
    "Article 1 Objet Le bailleur loue le local / Article 2 Durée Le bail dure neuf ans",
    "Art. 1 Oggetto Il locatore affitta il locale / Art. 2 Durata Il contratto dura un anno",
    "1.1 The tenant pays monthly / 1.2 The landlord insures the house / 2.1 Either may end it",
    "1. Premises The flat above / 2. Rent 840 euros a month / 3. Term Two years from May",
    "Artículo 1 Objeto Se alquila el piso / Artículo 2 Renta La renta es de 700 euros",
)
REFERENCES = (
    "Die Kündigung richtet sich nach § 573 BGB und nach § 574 BGB.",
    "Es gilt § 1 Abs. 2 und § 2 Abs. 3 der Satzung.",
    "Wie in § 1 Satz 2 und in § 2 Satz 1 gesagt ist, zahlt er.",
    "The tenant pays as set out in Section 1 Rent and in Section 2 Costs.",
    "1. FC Nordstadt spielt in der 2. Bundesliga und nicht in der 3. Liga.",
    "Version 1.1 Linux and version 1.2 Windows are there.",
    "The 1. January and the 2. January are holidays, and the 3. January is none.",
)


def test_a_clause_begins_a_sentence_within_a_line_and_at_a_line():
    for marked in CLAUSES:
        wanted = marked.split(" / ")
        for text in (" ".join(wanted), "\n".join(wanted)):
            assert [text[unit.start : unit.end] for unit in units(text)] == wanted, text


def test_a_reference_to_a_clause_begins_none():
    for text in REFERENCES:
        assert clause_starts(text) == [], text
    wrapped = (
        "Die Frist für die Kündigung der Wohnung und der Garage folgt aus\n§ 573c BGB und ist lang."
    )
    assert [wrapped[unit.start : unit.end] for unit in units(wrapped)] == [wrapped]

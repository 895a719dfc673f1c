"""The kind of answer that a question asks for, and whether a sentence has one."""

from corpus_agent.answering.coverage import expected_kind, has_kind

KINDS = {
    "date": """When does the lease end?; Until when does it run?; Bis wann läuft der Vertrag?;
        Jusqu'à quand court le bail ?; ¿Hasta cuándo dura el contrato?; Fino a quando dura?;
        Tot wanneer loopt het contract?; En quelle année a-t-il commencé ?;
        What is the due date?; At what time does it open?; À quelle heure ?""",
    "number": "How many rooms were there when it opened?; Wie hoch ist die Miete?; 多少钱?",
    "": "What is said of the lease?; By what method?; Near what modern day city?; Who pays?",
}
SAYS = {
    "date": """It ended in 1923.; It is due on Friday.; Er endet im März 2027.; 毎週日曜日です。;
        It closes at half past nine in the morning.; Am Dienstag wird sie geleert.""",
    "number": "It has 12 rooms.; Two of them.; Sie dauert drei Tage.; 五个月",
}
LACKS = {
    "date": "The landlord may mend it.; They march along the coast of Mars.; Days are long.",
    "number": "It has rooms.",
}


def test_the_kind_that_a_question_asks_for_and_whether_a_sentence_has_it():
    for kind, questions in KINDS.items():
        for question in questions.split(";"):
            assert expected_kind(question.strip()) == kind, question
    for told, said in ((SAYS, True), (LACKS, False)):
        for kind, texts in told.items():
            for text in texts.split(";"):
                assert has_kind(kind, text.strip(), frozenset({"when", "it"})) is said, text
    # The day that the question names is no answer.
    asked = frozenset({"when", "did", "the", "lease", "of", "2021", "end"})
    assert not has_kind("date", "The lease of 2021 ended.", asked)
    assert has_kind("date", "The lease of 2021 ended in May 2024.", asked)  # the control

"""Questions that need every document, and those of the same words that need one."""

import pytest

from corpus_agent.answering.whole_corpus import asks_all


@pytest.mark.parametrize(
    ("every", "one"),
    [
        ("Which of my contracts end in 2025?", "When does my contract end?"),
        ("How many invoices are there from June?", "How many months' notice do we have to give?"),
        ("List all the phone numbers.", "What is the list price of the bike?"),
        (
            "Which documents do not mention a deposit?",
            "Which documents do I need to claim for a theft?",
        ),
        ("How often is the boiler mentioned?", "How often is the boiler serviced?"),
        ("Show me every letter about the flat.", "Show me the letter about the flat."),
        ("Welche meiner Verträge enden 2025?", "Wann endet mein Vertrag?"),
        ("Combien de factures y a-t-il ?", "Combien coûte la chambre ?"),
        ("¿Cuáles de mis contratos terminan en 2025?", "¿Cuándo termina el contrato?"),
    ],
)
def test_what_needs_every_document_is_told_from_what_one_answers(every, one):
    assert asks_all(every)
    assert not asks_all(one)

"""What a pronoun at the beginning of a quotation stands for: only where code can tell."""

from corpus_agent.answering.antecedents import antecedent
from corpus_agent.answering.records import Citation
from tests.support.fakes import MemoryCorpus

TOLD = {
    ("Heating is looked after by Dunmoor Heating.", "They come every October."): "Dunmoor Heating",
    ("The boiler stands in the cellar.", "It is serviced in May."): "The boiler",
    ("Our old tenants left in June.", "They owe two rents."): "Our old tenants",
    ("Ida Kolb mends the roof.", "She charges 40 euros."): "Ida Kolb",
    ("Marl Valley Library opens at nine.", "It closes at six."): "Marl Valley Library",
    ("The lift was fitted by Kestrel & Sons in March 2020.", "They mend it."): "Kestrel & Sons",
}
UNTOLD = (
    ("The boiler was fitted by Dunmoor Heating.", "It is serviced in May."),  # two things
    ("The tenants pay Dunmoor Heating.", "They live upstairs."),
    ("Ida Kolb and Otto Kern signed.", "She pays the rent."),
    ("Dunmoor Heating Ltd mends the roof.", "He charges 40 euros."),
    ("The boiler stands in the cellar.", "It is necessary that somebody looks at it."),
    ("The boiler stands in the cellar.", "It rains there."),
    ("It stands in the cellar.", "It is serviced in May."),  # the one before points back too
    ("The boiler stands in the cellar.", "They are serviced in May."),
    ("The boiler stands in the cellar.", "The tank is serviced in May."),
    # Names with a word of the program among them.
    ("Verified By Dunmoor opens at nine.", "It closes at six."),
    ("Heating is looked after by Dunmoor Unsupported.", "They come every October."),
)


def told(before: str, quote: str, between: str) -> str:
    text = f"# House\n\n{before}{between}{quote}\n"
    line = 3 + between.count("\n")
    quoted = Citation(1, "a.md", None, line, line, quote, "verified")
    return antecedent(MemoryCorpus({"a.md": text}), quoted)


def test_a_noun_that_can_be_nothing_else_is_told():
    for (before, quote), noun in TOLD.items():
        for between in (" ", "\n", "\n\n"):
            assert told(before, quote, between) == noun, (before, quote, between)


def test_what_may_be_two_things_or_none_is_not():
    for before, quote in UNTOLD:
        assert told(before, quote, " ") == "", (before, quote)
    for between in ("\n\n## Cellar\n\n", "\n\n\n\n\n"):  # another section
        assert told("The boiler is old.", "It is serviced in May.", between) == ""

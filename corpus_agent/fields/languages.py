"""Documents in languages in which a field may be called otherwise than it was looked for. Pure.

A field of the lexicon is known in the languages of that; any other is looked for in its own words,
whose language two words do not tell: a language counts where none of its documents has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from corpus_agent.answering.languages import is_not_english, name_of
from corpus_agent.fields.definition import LEXICON, is_in_lexicon, similar_phrase
from corpus_agent.fields.mentions import MENTION
from corpus_agent.fields.records import DocumentRow, Field, FieldTable, OtherLanguage

_ENGLISH = "en"
# Those whose months text.dates knows, or that write them in figures.
_MONTHS = frozenset(["de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "zh"])


def fields_elsewhere(
    fields: Sequence[Field], rows: Sequence[DocumentRow], languages: Mapping[str, str]
) -> tuple[OtherLanguage, ...]:
    """For each field the languages that have documents, none of which says it, most first.

    `languages` are the codes of the documents' languages, "" where none is told.
    """
    found: list[OtherLanguage] = []
    for column, field in enumerate(fields):
        every: Counter[str] = Counter()
        said: set[str] = set()
        for row in rows:
            language = languages.get(row.source, "")
            if language and not row.reason:
                every[language] += 1
                if row.cells[column].status != "silent":
                    said.add(language)
        known = LEXICON if _is_known(field) else said
        if not known and not is_not_english(field.name):
            known = {_ENGLISH}  # no document has them: as most words of a few letters are
        found += [
            OtherLanguage(language, documents, column)
            for language, documents in _most_first(every)
            if language not in known and language not in said
        ]
    return tuple(found)


def months_elsewhere(
    sources: Iterable[str], languages: Mapping[str, str]
) -> tuple[OtherLanguage, ...]:
    """The languages of documents whose names of months are not known, most documents first."""
    told = Counter(languages.get(source, "") for source in sources)
    return tuple(
        OtherLanguage(language, documents)
        for language, documents in _most_first(told)
        if language and language not in _MONTHS
    )


def field_notices(table: FieldTable) -> Iterator[str]:
    """For each field one line where its words may be others than those that were looked for."""
    for column, field in enumerate(table.fields):
        listed = _listed([one for one in table.elsewhere if one.field == column])
        if _is_known(field):
            if listed:
                yield (
                    f"{field.name}: its words are not known in {listed}: "
                    "ask in words that stand there"
                )
        elif field.clause != MENTION and not table.count(column, "found", "several"):
            like = similar_phrase(field.name)
            meant = f"did you mean “{like}”?" if like else "try others, or search"
            yield (
                f"{field.name}: no value of the type {field.type} stands beside these words, "
                f"and no others are looked for: {meant}"
            )
        elif listed:
            yield (
                f"{field.name}: looked for in these words alone, which no document in {listed} "
                "has: ask in theirs, too"
            )


def month_notice(elsewhere: Sequence[OtherLanguage]) -> str:
    """What is said of documents whose names of months are not known; "" where there are none."""
    listed = _listed(elsewhere)
    return f"Names of months are not known in {listed}: only dates in figures" if listed else ""


def _most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _is_known(field: Field) -> bool:
    """Whether a field is looked for by the phrases of the lexicon, not by its own words alone."""
    return field.clause != MENTION and is_in_lexicon(field)


def _listed(elsewhere: Sequence[OtherLanguage]) -> str:
    """As "German (12 documents) or French (3)"; "" for none."""
    parts = [f"{name_of(one.language)} ({one.documents:,})" for one in elsewhere]
    if parts:
        noun = "document" if elsewhere[0].documents == 1 else "documents"
        parts[0] = parts[0].replace(")", f" {noun})")
    return " or ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))

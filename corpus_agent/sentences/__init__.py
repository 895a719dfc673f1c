"""From passages to the one to three sentences that answer a question, and how sure that is.

    parts      a question -> the one or two questions in it
    units      a passage -> its sentences, list items, table rows, headings
    words      text -> the words that are compared
    kinds      what sort of answer a question wants, and whether a sentence holds one
    coverage   how far a text covers each word of the question, by form or by meaning
    ranking    all of it weighed: the best sentences and a probability

Pure but for the encoder that is handed in. Does not search and does not check quotations.
"""

from corpus_agent.sentences.coverage import Passage
from corpus_agent.sentences.parts import parts
from corpus_agent.sentences.ranking import (
    NOT_FOUND_THRESHOLD,
    Ranking,
    Sentence,
    rank_sentences,
)

__all__ = ["NOT_FOUND_THRESHOLD", "Passage", "Ranking", "Sentence", "parts", "rank_sentences"]

"""From passages to the one to three sentences that answer a question, and how sure that is.

    parts      a question -> the one or two questions in it
    units      a passage -> its sentences, list items, table rows, headings
    words      text -> the words that are compared
    kinds      what sort of answer a question wants, and whether a sentence holds one
    coverage   how far a text covers each word of the question, by form or by meaning
    ranking    all of it weighed: the best sentences and a probability

Pure but for the encoder that is handed in. Does not search and does not check quotations.

Imports none of it: what looks at words alone must not load numpy, which starts threads.
"""

"""Prompt injection by documents, run against this program.

Strings that instruct, exfiltrate, act on a terminal or hide are planted in documents, and a model
that follows every instruction answers questions about them from inside the seal. `trial` runs this
and counts the leaks of each channel; that the model alone leaks is a quick test's.

Does not show that a model resists: it assumes that none does.
"""

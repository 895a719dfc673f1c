"""The attack that every agent over foreign documents should be tested against, run on this one.

Strings that instruct, exfiltrate, act or hide are planted in documents, and a model that obeys
whatever it reads answers questions about them from inside the seal. `trial` runs it and counts what
got out by channel, each beside a control that did get out. Called by `selftest --attack`.

Does not show that a model resists: it assumes that none does.
"""

"""`doctor`: is everything as it must be, and which command mends what is not.

Checks are data: a name, what is looked at, and a function that looks (`finding`). `environment`
looks at this machine and installation and opens no document; `store` looks at an index.
"""

from corpus_agent.doctor.finding import Check, Finding, as_json, examine, lines

__all__ = ["Check", "Finding", "as_json", "examine", "lines"]

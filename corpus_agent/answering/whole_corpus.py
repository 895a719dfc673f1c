# ruff: noqa: E501 - a pattern that is broken over lines is harder to read than a long one
"""Whether a question asks about all documents at once: to count, to list, to find what is missing.

An answerer reads the passages nearest to a question, which cannot answer such a one. Forms of words
in four languages; benchmarks/conversations.py has the figures. Called by service/session.py.
"""

from __future__ import annotations

from corpus_agent.text.patterns import lazy
from corpus_agent.text.tokens import fold

# The one place that says what to do instead.
HINT = "`corpus-agent table FIELD…` and `list CONDITION` look at each."
NOTICE = (
    "Only the passages nearest to the question were looked at, and a question about all documents"
    f" needs every one of them. {HINT}"
)

_PAPERS = (
    "documents|files|contracts|invoices|letters|notes|leases|receipts|e-?mails|mails|messages|reports"
    "|agreements|bills|statements|recipes|manuals|warranties|guarantees|subscriptions|certificates"
    "|scans|payslips|policies"
    "|dokumente?n?|dateien|vertrage?n?|rechnungen|briefen?|notizen|quittungen|belegen?|berichten?"
    "|policen|protokollen?|rezepten?|bescheiden?|angeboten?"
    "|fichiers|contrats|factures|lettres|recus|courriels|rapports"
    "|archivos|contratos|facturas|cartas|notas|recibos|correos|informes"
)
_OURS = r"(?:(?:of|von|de|all|the|my|our|these|those|meine[rn]?|unsere[rn]?|dieser|der|les|mes|nos|los|las|mis) )"
_ASKS_ALL = lazy(  # of folded text
    r"\b(?:which(?: one)?|what|how many|any|all|each|every|most|none|some) of (?:my|our) (?:\w+ ){0,2}\w+s\b"
    rf"|\b(?:which|how many|any|all|every|none|what|welche[nrsm]?|wie ?viele|alle[rn]?|jede[rsnm]?|combien|quel(?:le)?s"
    rf"|toutes?|tous|lesquel(?:le)?s|cuant[oa]s|que|cuales|tod[oa]s) (?:{_OURS}+(?:\w+ )?)?(?:{_PAPERS})\b(?! (?:is|was|do (?:i|we|you))\b)"
    rf"|\b(?:in|across|through|throughout|over|from|among|of|for) (?:which |how many |(?:all )?{_OURS}+(?:\w+ )?)(?:{_PAPERS})\b"
    r"|^\W*(?:(?:please|can you|could you|bitte) )?(?:list|enumerate|count|tabulate|liste|zahle|enumere|compte|lista|enumera|cuenta)[zr]?\b"
    r"|^\W*(?:(?:please|can you|could you|bitte) )?(?:show|give|find|name|tell|get|make|nenne?|zeige?)(?: me| us| mir)?(?: about)?"
    r" (?:an? (?:full |complete )?(?:list|table)|all|alle|every|each)\b"
    r"|^\W*(?:what|who|where|which) (?:are|were) all (?:of )?(?:the|my|our)\b"
    r"|\bwhich (?:ones|of them) (?:do|does|don|doesn|never|lack|are missing|have|mention)\b"
    r"|\bhow (?:often|many times) (?:is|are|was|were|do(?:es)?|did) .*\b(?:mention(?:ed)?|named|appear|come up)\b"
)


def asks_all(question: str) -> bool:
    """Whether all documents are needed for an answer."""
    return bool(_ASKS_ALL.search(" ".join(fold(question).split())))

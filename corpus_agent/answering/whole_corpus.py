"""Whether a question asks about all documents at once: to count, to list, to find what is missing.

An answerer reads the passages nearest to a question, which cannot answer such a one. Forms of words
in four languages; benchmarks/conversations.py has the figures. Called by service/session.py.
"""

from __future__ import annotations

import regex

from corpus_agent.text.tokens import fold

# The one place that says what to do instead.
HINT = "`corpus-agent table FIELD…` and `list CONDITION` look at each."
NOTICE = (
    "Only the passages nearest to the question were looked at, and a question about all documents"
    f" needs every one of them. {HINT}"
)

_DOCUMENT = (
    "document|file|contract|invoice|letter|note|lease|receipt|e-?mail|mail|message|report|agreement"
    "|bill|statement|recipe|manual|warrant(?:y|ie)|guarantee|subscription|certificate|scan|payslip"
    "|polic(?:y|ie)"
)
_DOKUMENTE = (
    "dokumente?n?|dateien|vertrage?n?|rechnungen|briefen?|notizen|quittungen|belegen?|e-?mails"
    "|mails|berichten?|policen|protokollen?|rezepten?|bescheiden?|angeboten?"
)
_PAPIERS = "documents|fichiers|contrats|factures|lettres|notes|recus|courriels|rapports"
_PAPELES = "documentos|archivos|contratos|facturas|cartas|notas|recibos|correos|informes"
_ASKS_ALL = regex.compile(  # of folded text
    rf"""
    \b(?:which(?:\ one)?|what|how\ many|any|all|each|every|most|none|some)\ of\ (?:my|our)
      \ (?:\w+\ ){{0,2}}\w+s\b
    | \b(?:which|what|how\ many|any|all|each|every|none|some)\ of\ (?:the|these|those)
      \ (?:{_DOCUMENT})s\b
    | \b(?:which|how\ many)\ (?:\w+\ )?(?:{_DOCUMENT})s\ (?!(?:is|was|do\ (?:i|we|you))\b)
    | \b(?:which|how\ many)
      \ (?:{_DOCUMENT})s\b (?=\W*$|.*\b(?:not|never|no|without|mention(?:s|ed)?)\b)
    | \bin\ (?:which|how\ many)\ (?:{_DOCUMENT})s\b
    | \b(?:in|across|through|throughout|over|from|among|of|for)
      \ (?:(?:my|our|these|those)|all\ (?:of\ )?(?:my|our|the|these)?)
      \ ?(?:\w+\ ){{0,2}}?(?:{_DOCUMENT})s\b
    | \b(?:every|each|any|all)
      \ (?:single\ |the\ |my\ |our\ )?(?:\w+\ )?(?:{_DOCUMENT})s?\b(?=.*\b(?:i|my|we|our|me|us)\b
      |\W*$)
    | ^\W*(?:please\ |can\ you\ |could\ you\ )?(?:list|enumerate|count|tabulate|itemi[sz]e)\b
    | ^\W*(?:please\ |can\ you\ |could\ you\ )?(?:show|give|find|name|tell|get|make)(?:\ me|\ us)?
      (?:\ about)?\ (?:an?\ (?:full\ |complete\ )?(?:list|table)|all|every|each)\b
    | ^\W*(?:what|who|where|which)\ (?:are|were)\ all\ (?:of\ )?(?:the|my|our)\b
    | \bwhich\ (?:ones|of\ them)
      \ (?:do(?:es)?\ not|don.?t|doesn.?t|never|lack|are\ missing|have|mention)\b
    | \bhow\ (?:often|many\ times)\ (?:is|are|was|were|do(?:es)?|did)\ .*
      \b(?:mention(?:ed)?|named|appear|come\ up)\b
    | \bwelche[nrsm]?
      \ (?:(?:von|aller?)\ )?(?:meine[rn]?\ |unsere[rn]?\ |dieser\ )?(?:{_DOKUMENTE})\b
    | \b(?:wie\ ?viele|alle[rn]?|jede[rsnm]?)
      \ (?:(?:von|meine[rn]?|unsere[rn]?|der)\ )*(?:{_DOKUMENTE})\b
    | ^\W*(?:bitte\ )?(?:liste|zahle|nenne?(?:\ mir)?\ alle|zeige?(?:\ mir)?\ alle)\b
    | \b(?:combien\ de|quel(?:le)?s|toutes?\ (?:les|mes|nos)|tous\ (?:les|mes|nos)
      |lesquel(?:le)?s\ de\ (?:mes|nos))\ (?:{_PAPIERS})\b
    | ^\W*(?:liste|enumere|compte)[zr]?\b
    | \b(?:cuant[oa]s|que|cuales\ de\ (?:mis|nuestr[oa]s)|tod[oa]s\ (?:los|las|mis))
      \ (?:{_PAPELES})\b
    | ^\W*(?:lista|enumera|cuenta)\b
    """,
    regex.VERBOSE,
)


def asks_all(question: str) -> bool:
    """Whether all documents are needed for an answer."""
    return bool(_ASKS_ALL.search(" ".join(fold(question).split())))

# ruff: noqa: E501 - a pattern that is broken over lines is harder to read than a long one
"""Words that change the sense of a sentence: not, never, without, unless, in several languages.

Tells whether a quotation leaves one out that stands right beside it, and how often a text says no.
Knows forms, not meaning: what a negation reaches is judged by nearness. English, German, French,
Spanish and Chinese on purpose; of other languages the commonest words. Pure; called by quotations.py
and grounding.py.
"""

from __future__ import annotations

import re
from functools import cache

import regex

from corpus_agent.text.tokens import content_terms, terms

REACH = 90  # characters on either side that are looked at

_NOT = (
    r"not|never|cannot|no|none|nobody|nothing|nowhere|neither|nor|without|hardly|barely|scarcely"
    r"|rarely|seldom|\p{L}+n['’]t|unable|(?:fail|refus)(?:s|es|ed|e)?\s+to|lack(?:s|ed|ing)?"
    r"|(?:prohibited|forbidden|barred|prevented|banned|excluded|exempt)(?:\s+from)?|prohibits?|forbids?"
    r"|illegal|unlawful|refrain(?:s|ed)?\s+from|den(?:ies|ied)"
    r"|nicht|kein\p{L}*|nie|niemals|niemand\p{L}*|nichts|nirgends|nirgendwo|weder|ohne|kaum|keinesfalls"
    r"|keineswegs|verboten|untersagt|unzulässig"
    r"|ne|n['’]|pas|jamais|aucun\p{L}*|rien|nul(?:le)?|ni|sans(?!\s+doute)|guère|nullement|interdit\p{L}*"
    r"|(?<!(?:une|la|cette|chaque|par|toute|autre)\s)personne"
    r"|nunca|jamás|nadie|nada|ning[uú]n\p{L}*|tampoco|sin(?!\s+embargo)|apenas|prohibid\p{L}+|vietat\p{L}"
    r"|non|nessun\p{L}*|niente|senza|não|nem|sem|nenhum\p{L}*|niet|geen|nooit|zonder|niemand"
    r"|не|нет|ни|никогда|никто|ничего|без|нельзя|никак\p{L}*"
    r"|δεν|δε|μη|μην|ούτε|χωρίς|ποτέ|κανένα\p{L}*|κανείς|καμία"
    r"|değil\p{L}*|yok\p{L}*|asla|hiçbir|لا|لم|لن|ليس|ليست|غير|بدون|بلا|دون"
    r"|नहीं|मत|बिना|không|chưa|chẳng|đừng"
)
# What only restricts, or makes a condition or an exception of what follows.
_UNLESS = (
    r"unless|except(?:ing)?(?:\s+(?:for|that|when|where|if))?|excluding|save\s+(?:that|for|where|as)"
    r"|other\s+than|apart\s+from|rather\s+than|instead\s+of|subject\s+to|out\s+of"
    r"|(?:but\s+)?only\s+(?:if|when|with|after|where|on|in|for|to|by|from|as|at|until|while|during)"
    r"|provided(?:\s+that)?|es\s+sei\s+denn,?|außer(?:\s+(?:wenn|dass))?|ausgenommen|sofern|vorbehaltlich"
    r"|nur\s+(?:wenn|mit|nach|bei|falls|für|in|an|auf|zu|von|unter|im|am)|mit\s+Ausnahme|anstatt|statt"
    r"|sauf(?:\s+si)?|excepté|hormis|à\s+moins\s+(?:que|de)|à\s+l['’]exception|sous\s+réserve"
    r"|(?:seulement|uniquement)\s+(?:si|avec|après|pour|en|dans|à|sur|le|la|les|quand|lorsqu)"
    r"|au\s+lieu|plutôt\s+que|salvo(?:\s+(?:que|si))?|excepto|a\s+menos\s+que|a\s+no\s+ser"
    r"|(?:sol[oa]|sólo|solamente|únicamente)\s+(?:si|con|después|para|en|cuando|a|de|los|las|el|la)"
    r"|siempre\s+que|con\s+excepción|en\s+lugar|en\s+vez"
    r"|barring|with\s+the\s+exception|as\s+long\s+as|so\s+long\s+as|soweit|bis\s+auf|à\s+condition|siempre\s+y\s+cuando|tranne|a\s+meno\s+che"
    r"|если\s+не|кроме|за\s+исключением|εκτός|hariç|إلا|باستثناء|सिवाय|trừ|ngoại\s+trừ"
)
_IF = r"if|whether|falls|ob|wenn|only\s+if|nur\s+wenn|si|если|ли|αν|eğer|إذا|यदि|अगर|nếu"
# Words that may stand between a negation and what it denies.
_LIGHT = (
    r"again|more|anymore|otherwise|further|quite|\p{L}+ly|\p{L}{4,}ment|\p{L}+mente|\p{L}+weise|wieder|jemals"
    r"|noch|schon|encore|todavía|aún|be|been|being|is|are|was|were|have|has|had|having|to|do|does|did|may|can|must|shall|will|would"
    r"|should|could|might|an?|the|any|it|yet|even|always|ever|longer|necessarily|normally|usually"
    r"|generally|under|circumstances|case|event|way|time|means|allowed|permitted|entitled|required"
    r"|obliged|obligated|able|authori[sz]ed|from|of|him|her|them|us"
    r"|all|every|each|one|single|other|such|many|include[sd]?|contain(?:s|ed)?|alle[nrs]?|jede[nrs]?|einzige[rsn]?"
    r"|tous|toutes|todos|todas|otr[oa]|tutti|tutte"
    r"|zu|der|die|das|den|dem|des|eine?[nmrs]?|ist|sind|war|wird|werden|darf|dürfen|kann|können|muss"
    r"|müssen|soll|sollen|mehr|gestattet|erlaubt|befugt|verpflichtet|Fall|Umständen|Weise|mich|sich"
    r"|le|la|les|une?|de|du|des|plus|peut|peuvent|doit|doivent|être|est|sont|a|ont|été|que|à|se|en"
    r"|autorisée?s?|permis|cas|se|puede[n]?|podrá[n]?|debe[n]?|deberá[n]?|es|está[n]?|son|han?|ser|el"
    r"|los|las|una?|más|caso|permite[n]?|permitido"
)
# Words between the end of a quotation and a negation that belongs to what was quoted.
_LEADING = (
    r"but|and|or|also|still|yet|in|at|under|by|on|for|with|to|aber|und|oder|auch|noch|leider|jedoch"
    r"|gar|überhaupt|auf|unter|an|mit|zu|für|bei|mais|et|ou|sous|dans|pour|avec|à|de|pero|y|o|en|bajo"
    r"|con|para|todavía|aún|\p{L}+ly|\p{L}{4,}ment|\p{L}+mente|sicher|bestimmt"
    r"|is|are|was|were|be|been|will|shall|has|have|had|ist|sind|war|waren|wird|werden|est|sont|était|sera|es|son|está[n]?"
    r"|queda[n]?|fue|è|sono"
)
_ONLY = (
    r"only|merely|just|simply|nur|bloß|allein|lediglich|seulement|uniquement|sol[oa]|sólo|solamente"
)
_FEW = (
    r"few|fewer|little|(?:very\s+)?few|wenige[rn]?|peu|poc[oa]s|weder\s[^.;]{1,60}?\snoch"
    r"|neither\s[^.;]{1,60}?\snor|(?:ceas|stopp|reject|disput|refut|dismiss|oppos)(?:s|es|ed|e)?|stop"
)
_DOUBTS = r"doubtful|unwahr|(?:reject|disput|refut|dismiss|question|doubt)(?:s|ed|ing)?|bestreite[tn]?|bestritt(?:en)?"
_HAN_NOT = r"[不没沒未无無勿毋莫]|(?<![特区區分差级級个個类類性识識辨离離])别|(?:禁止|严禁|拒绝|缺乏|缺少|并非|绝非|除非|除了|除外|以外|仅限|只有)"
_HAN_NO_NEGATION = r"不[同断斷仅僅但少久过過管论論如幸禁止料屈]|无[论論线線疑数數限穷穷]|未[来來]|没收|別人|别[人的墅名]|非常|莫[斯名大]"
_HAN_BEFORE = rf"(?:{_HAN_NOT}|(?<!除|是)非(?!常|洲))(?:[能可以会會得应應该該须須要许許允准曾有是再被必让讓由想敢肯需用予必含]|提供|包[括含]|承担|建议|适用于?|所有|每个|任何人?|一个){{0,4}}$"
_HAN_IF = r"(?:如果|假如|倘若|若|要是|除非|是否|只有|除了)$"
_HAN_AFTER = (
    rf"[\s，,；;]*(?!{_HAN_NO_NEGATION})[也都并並绝絕决決从從还還尚就却卻仍再均皆一概律但而是被]{{0,2}}"
    rf"(?!{_HAN_NO_NEGATION})(?:{_HAN_NOT}|非(?!常|洲|法)|除非|前提|但[^。；，]{{0,6}}(?:不|除外)|但不|只有|仅|以外|除外)"
)


@cache
def _compiled(source: str) -> regex.Pattern[str]:
    """A pattern, compiled when it is first needed: all of these take 40 ms."""
    return regex.compile(source)


@cache
def _turning() -> re.Pattern[str]:
    """Any word that may turn a sentence, compiled by the quicker of the two libraries."""
    words = "|".join((_NOT, _UNLESS, _IF, _ONLY, _FEW, "nein|false|untrue|falsch|faux|falso"))
    words = words.replace(r"(?<!(?:une|la|cette|chaque|par|toute|autre)\s)", "")
    words += "|" + _DOUBTS
    return re.compile(
        rf"(?i)\b(?:{words})".replace(r"\p{L}", r"[^\W\d_]") + r"|[^\x00-\u2fff]|[|:=/✗✘❌☒~]|['’]t"
    )


def _may_turn(text: str) -> bool:
    """Whether any of the patterns below can match: none can without one of their words."""
    return _turning().search(text) is not None


_BEFORE_A_WORD, _BEHIND_A_WORD = r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"
_ENDS_IN_NOT = rf"(?i){_BEFORE_A_WORD}(?:{_NOT})(?:(?<=['’])|{_BEHIND_A_WORD})(?:\s+(?:{_LIGHT}){_BEHIND_A_WORD}){{0,4}}$"
_ENDS_IN_IF = rf"(?i){_BEFORE_A_WORD}(?:{_UNLESS}|{_IF})(?:\s+(?:of|von|des?|an?|the|der|die|das|le|la|les|el|los|las)){{0,1}}$"
_ENDS_IN_ONLY = (
    rf"(?i){_BEFORE_A_WORD}(?:{_ONLY}|{_FEW})(?:[^\S\n]+(?:of|the|von|der|des?))?[^\S\n]*\n?(?!\n)$"
)
# A condition that begins right behind, or behind a comma: ", and if" is of another clause.
_IF_BEHIND = rf"(?i)^(?:[^,]*,)?\s*(?:{_UNLESS}|{_IF}|in\s+case|im\s+Falle?){_BEHIND_A_WORD}"
_CONDITIONAL = rf"(?i){_BEFORE_A_WORD}(?:{_UNLESS}|{_IF}){_BEHIND_A_WORD}"
_BEGINS_WITH_NOT = (
    rf"(?i)[\s,;(–—-]*(?:(?:{_LEADING})\s+){{0,3}}(?:(?:{_NOT}|nein|false|untrue|falsch|faux|falso)(?:(?<=['’])|{_BEHIND_A_WORD})"
    rf"|n['’]t{_BEHIND_A_WORD})(?!\.\s?\p{{N}})"
)
# The entry of a form: "| No |", ": nein", a cross.
_ANSWERED_NO = (
    r"(?i)\s*(?:[|:：=/–—]\s*)?[✗✘❌☒]|\s*[|:：=/–—]\s*(?:no|not|none|never|nein|non|nicht|keine?|false|falsch|faux|falso|否|无|無|不是?)"
    r"\s*(?:[|.,;。；!]|\n|$)|~~"
)
_BEGINS_WITH_UNLESS = (
    rf"(?i)[\s,;(–—-]*(?:(?:but|and|aber|und|mais|et|pero|y)\s+)?(?:{_UNLESS}){_BEHIND_A_WORD}"
)
_SENTENCE_ENDS = regex.compile(r"[.!?。！？…;；][\"'”’»)\]]*$")
_SENTENCE_ENDED = regex.compile(r"[\"'”’»)\]]*[.!?。！？…;；]")
_LABEL_ENDS = regex.compile(r"[:：,，、|][\"'“”‘’„«»(\[]*$")


_STARTS_ANEW = regex.compile(r"[\"'“„«(\[]*[\p{Lu}\p{N}]")
# The sign or number of an item, and a line that begins with one.
_ITEM = (
    r"(?:[-–—•*+·▪◦]|\(?(?:\p{L}{1,2}|[ivx]{1,4})\)|(?:\p{L}|[ivx]{1,4})\)|\(?\p{N}{1,3}\)|\p{N}{1,3}\."
    r"|（?[一二三四五六七八九十]{1,3}[）、])"
)
_ITEM_ENDS = regex.compile(rf"(?:^|\n)[^\S\n]*{_ITEM}[^\S\n]*$")
# As it is once brackets are taken out: "a " for "(a) ".
_BARE_ITEM_ENDS = regex.compile(
    r"\n[^\S\n]*(?:\p{L}|[ivx]{1,4}|\p{N}{1,3}|[一二三四五六七八九十]{1,3}|（[一二三四五六七八九十]{1,3}）)[^\S\n]*$"
)
_ITEM_LINE = regex.compile(
    rf"\n[^\S\n]*(?:{_ITEM}|(?:\p{{L}}|[ivx]{{1,4}}|\p{{N}}{{1,3}})\s)[^\n]*$"
)
_INSERTED = regex.compile(r",[^,.:;!?\n]{1,80},\s")  # "may not, without consent, ..."
_SENTENCE_REST = regex.compile(r"[^.!?。！？;；\n]{0,200}[?？]?")
_BUT = regex.compile(r"(?i)\b(?:any|no|every|some)(?:\s*one|body|thing)?\s+but\s*$")
_CLAUSE_ENDS = regex.compile(r"[.!?。！？;；,，:：|]|\n\n")
_COLON_ENDS = regex.compile(r"[:：]$")
_CLAUSE = regex.compile(r"[^.!?。！？;；,，:：|\n]*(?:\n(?!\n)[^.!?。！？;；,，:：|\n]*)?$")
_ANSWERED = regex.compile(
    r"(?i)(?:^|\n)[^\S\n]*(?:[^\n:：|]{1,60}[:：|]\s*(?:no|none|nein|keine?|non|aucune?|ningun[oa]|无|無|否|没有)"
    r"|none|nil)\s*$"
)
_ZU = regex.compile(r"[^.;!?]*?(?:\bzu\s\p{Ll}+n|\p{Ll}{2,}zu\p{Ll}+n)\b")
_DENIES_THAT = (
    rf"(?i){_BEFORE_A_WORD}(?:{_NOT}|false|untrue|doubtful|unwahr|(?:reject|disput|refut|dismiss|question|doubt)(?:s|ed|ing)?|bestreite[tn]?|bestritt(?:en)?|falsch|faux|falso)(?:(?<=['’])|{_BEHIND_A_WORD})[^.;:!?]{{0,40}}?"
    r"[\s,](?:that|da(?:ss|ß)|que|qu['’]|che|whether|ob)$|(?:[不没]|没有)[^。；，]{0,6}(?:表明|证明|意味着|代表|意味|说明)$"
)


def turned_before(before: str, quote: str) -> bool:
    """Whether the words right before a quotation negate it, or make it conditional."""
    before, hangs = _lead_in(before)
    lead, blank, last = before.rpartition("\n\n")
    if blank and not last.strip():
        if not hangs and _STARTS_ANEW.match(quote):
            return False
        before = lead
    anew = before.endswith("\n") and _STARTS_ANEW.match(quote)  # the next row of a table
    before = before[-REACH:].rstrip()
    if not hangs and "\n" in before[-2:] + "\n" and _ANSWERED.search(before):
        return False
    if _COLON_ENDS.search(before):
        return _denies(before[:-1].rstrip())
    if before.endswith((",", "，")) and _ZU.match(quote):
        return _denies(before[:-1])
    if regex.search(r"(?:[✗✘❌☐☒]|\[ \]|~~)$", before):
        return True
    before = regex.sub(r"\s+[–—-]$|\s*(?:…|\.\.\.)$", "", before)
    if before.endswith(",") and not _STARTS_ANEW.match(quote):
        # "may not, without consent, ..."
        before = regex.sub(r",[^,.;:!?\n]{1,60}$", "", before[:-1])
    if _SENTENCE_ENDS.search(before) or _LABEL_ENDS.search(before):
        return False
    if hangs and _denies(before):
        return True
    patterns = [_HAN_IF, _HAN_BEFORE, _ENDS_IN_IF, _ENDS_IN_NOT, _DENIES_THAT]
    patterns += [] if anew else [_ENDS_IN_ONLY]
    return _may_turn(before) and any(_compiled(p).search(before) for p in patterns)


def _lead_in(before: str) -> tuple[str, bool]:
    """The text that a list hangs from where this ends in the sign of an item, and whether so."""
    for ends in (_ITEM_ENDS, _BARE_ITEM_ENDS):
        if found := ends.search(before):
            before = before[: found.start()]
            while above := _ITEM_LINE.search(before):
                before = before[: above.start()]
            return before.rstrip(), True
    return before, False


def _denies(before: str) -> bool:
    """Whether the last clause of a text is negated."""
    clause = _CLAUSE.search(before)
    return clause is not None and bool(
        _compiled(_ANY_NOT).search(_compiled(_NOT_ONLY).sub("", clause[0]))
    )


def turned_in_clause(before: str, after: str) -> bool:
    """Whether the rest of its clause denies a few words of it, or makes them conditional."""
    before = _INSERTED.sub(" ", before)
    ended = _CLAUSE_ENDS.search(after)
    behind = after[: ended.start()] if ended else after
    clause = _CLAUSE.search(before)
    led = clause is not None and _compiled(_CONDITIONAL).search(clause[0]) is not None
    rest = _SENTENCE_REST.match(after)
    if rest is not None and (rest[0][-1:] in ("?", "？") or _compiled(_IF_BEHIND).search(rest[0])):
        return True
    return led or _denies(before) or _denies(behind) or bool(_BUT.search(before))


def turned_behind(quote: str, after: str) -> bool:
    """Whether the words right after a quotation negate it or add an exception."""
    gap = after[: len(after) - len(after.lstrip())]
    after = after.lstrip()[:REACH]
    if _SENTENCE_ENDS.search(quote):
        return False
    if not _may_turn(after):
        return False
    if "\n" in gap and _compiled(_NEW_SENTENCE).match(after):
        return False
    if "\n\n" in gap and _STARTS_ANEW.match(after):
        return False
    if after[:1] in ";；" and _compiled(_BEGINS_WITH_UNLESS).match(after):
        return True
    if _SENTENCE_ENDED.match(after):
        return False
    patterns = (_BEGINS_WITH_NOT, _BEGINS_WITH_UNLESS, _HAN_AFTER, _ANSWERED_NO)
    return any(_compiled(pattern).match(after) for pattern in patterns)


# A negation that begins a line with a capital begins a sentence or an entry of its own.
_NEW_SENTENCE = rf"(?=\p{{Lu}}\p{{Ll}})(?i:{_NOT})(?:(?<=['’])|{_BEHIND_A_WORD})"


# ---- How often a text says no

_NOT_ONLY = (
    rf"(?i){_BEFORE_A_WORD}(?:not|nicht|non|no|pas)\s+(?:only|exceeding|nur|seulement|sólo|solo|solamente"
    r"|(?:less|more|fewer|later|earlier|weniger|mehr|menos|más|moins|plus)\s+(?:than|als|de|que))\b"
    r"|\bno\.?\s*\p{N}|\bout\s+of\b|不[仅僅但只]|不得不|不可不"
)
# Two words of one negation.
_PAIRED = (
    r"(?i)\b(?:ne\s|n['’])[^.;,]{0,60}?\b(?:pas|jamais|plus|rien|aucun\p{L}*|personne|guère|ni|nul(?:le)?)\b"
    r"|\b(?:neither|not?|never|weder|n[ie])\b[^.;]{0,60}?\b(?:nor|noch|ni|nunca|nadie|nada|ningun\p{L}*"
    r"|tampoco|any)\b|没有|並不|并不|不得|不能|无法|未能|禁止"
)
_ANY_NOT = rf"(?i){_BEFORE_A_WORD}(?:{_NOT})(?:(?<=['’])|{_BEHIND_A_WORD})|\x00|(?!{_HAN_NO_NEGATION}){_HAN_NOT}"
_OF_NAMES = regex.compile(r"(?<=\p{L}\s)No(?=\s\p{Lu})|\bNO\b")


def negations(text: str, other: str) -> int:
    """How many negations a text holds that bear on what another text speaks of.

    Those of two words, as "ne ... pas", count once, and "without" where the other text speaks of
    what is missing.
    """
    text = _compiled(_PAIRED).sub("\x00", _OF_NAMES.sub("", _compiled(_NOT_ONLY).sub("", text)))
    topic = frozenset(terms(other))
    return sum(
        not _WITHOUT.fullmatch(match[0])
        or any(word in topic for word in content_terms(_missing(text[match.end() :]))[:3])
        for match in _compiled(_ANY_NOT).finditer(text)
    )


_WITHOUT = regex.compile(
    r"(?i)without|lack(?:s|ed|ing)?|exempt(?:\s+from)?|excluded(?:\s+from)?|ohne|sans|sin|senza|sem|zonder|без|χωρίς|بدون"
)
_MISSING = regex.compile(r"[^\p{N}.,;:!?()。，；]{0,60}")  # behind "without": what is missing


def _missing(behind: str) -> str:
    found = _MISSING.match(behind)
    return found[0] if found else ""


_NEEDED = (
    rf"(?i)\b(?:{_ONLY}|must|needs?|requires?|required|muss|müssen|braucht|nötig|doit|faut|debe[n]?|hay que)\b"
    r"|只|必须|需要|须"
)


def says_what_is_needed(text: str) -> bool:
    """Whether a text names a condition: only with, must have, requires."""
    return bool(_compiled(_NEEDED).search(text))


_TURNS = (
    rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}-])(?:{_NOT}|{_UNLESS}|{_ONLY}|{_IF})"
    r"(?:(?<=['’])|(?![\p{L}\p{M}\p{N}-]))"
)


def holds_turning_word(text: str) -> bool:
    """Whether a text denies, restricts or excepts anything, or makes a condition.

    For questions that are read by their words: whatever such a word means there, what stands beside
    it is not what is asked for. Part of a compound it is a name: "non-disclosure".
    """
    return _compiled(_TURNS).search(text) is not None


# ---- Values that are denied

# What says of a value that it was one: right before it, or before what it is a value of.
_FORMER = (
    r"formerly|former|previously|previous|früher(?:e[nmrs]?)?|bisher(?:ige[nmrs]?)?|ehemal(?:s|ige[nmrs]?)"
    r"|vormals|zuvor|anciennement|ancien(?:ne)?|auparavant|précédemment|précédente?|anteriormente"
    r"|anterior|antes|antigu[oa]|precedentemente|precedente|prima|vecchi[oa]|voorheen|vorige|vroegere?"
)
_IN_PLACE_OF = (
    r"(?:instead|in\s+(?:place|lieu))\s+of|rather\s+than|anstatt|anstelle(?:\s+von)?|statt|au\s+lieu\s+d(?:e|['’]une?)"
    r"|en\s+(?:lugar|vez)\s+de|invece\s+di|al\s+posto\s+di|in\s+plaats\s+van|em\s+vez\s+de"
)
_NO_LONGER = r"longer|länger|mehr|plus|più|meer|langer|mais|è|é|di|on|am|op"
_VALUE_IS_DENIED = (
    rf"(?i){_BEFORE_A_WORD}(?:(?:{_NOT})(?:(?<=['’])|{_BEHIND_A_WORD})(?:\s+(?:{_LIGHT}|{_NO_LONGER}){_BEHIND_A_WORD}){{0,4}}"
    rf"|n(?:e\s+|['’])\p{{L}}+\s+plus(?:\s+(?:de|du|à|le|la|les)|\s+d['’])?"
    rf"|(?:do|does|did|will|shall)(?:\s+not|n['’]t)\s+\p{{L}}+\s+on"
    rf"|(?:{_IN_PLACE_OF})(?:\s+(?:{_LIGHT}|von|di){_BEHIND_A_WORD}){{0,2}}|(?:{_FORMER}):?)\s*$"
)
_IS_NO_LONGER = (
    r"(?i)\s*(?:(?:(?:is|are)\s+)?no\s+longer\s+(?:appl\p{L}+|valid|due|owed|charged|current|in\s+force|the)"
    r"|(?:gilt|gelten|galt|ist|sind)\s+(?:\p{L}+\s+){0,2}nicht\s+(?:mehr|länger)(?=\s+(?:gültig|fällig|geschuldet|aktuell)|\s*(?:[.,;)]|$))"
    r"|(?:ne\s+s['’]applique|n['’]est)\s+plus(?=\s+(?:valable|due?|applicable|en\s+vigueur)|\s*(?:[.,;)]|$))"
    r"|ya\s+no\s+(?:se\s+aplica|rige|vale|es|está)|non\s+(?:si\s+applica|vale|è)\s+più"
    r"|(?:geldt|is)\s+niet\s+(?:meer|langer)|já\s+não\s+(?:se\s+aplica|vale|é))(?![\p{L}\p{M}])"
)
_NONE_OF = (
    rf"(?i){_BEFORE_A_WORD}(?:(?:no|without|kein\p{{L}}*|ohne|sans|aucune?|sin|ning[uú]na?|senza|nessuna?|sem|nenhuma?"
    r"|zonder|geen)(?:\s+(?:an?|any|eine?[nmrs]?|une?|una|um|uma|een))?"
    rf"|(?:{_IN_PLACE_OF})(?:\s+(?:an?|the|eine?[nmrs]?|d(?:er|ie|as|em|es)|une?|una|el|la|le|il|de|het))?|{_FORMER})\s*$"
)
_NUMBERED = regex.compile(r"(?i)\bno$")  # "invoice no 900"


def denies_value(before: str, after: str) -> bool:
    """Whether the words right beside a date, a sum or a number deny it, or say that it was before.

    "is not 900 euros", "instead of 900", "formerly 900", "900 no longer applies"; a bound is none
    of these ("not more than 900"), nor is what is denied of it ("900, not including heating").
    """
    before = before[-REACH:].rstrip(" (\n")
    if _compiled(_IS_NO_LONGER).match(after[:REACH]):
        return True
    before = _compiled(_NOT_ONLY).sub("\x00", before)
    return not _NUMBERED.search(before) and bool(_compiled(_VALUE_IS_DENIED).search(before))


def denies_value_of(before: str) -> bool:
    """Whether the words right before a thing deny all its values: "no rent", "the former rent"."""
    return _compiled(_NONE_OF).search(before[-REACH:].rstrip()) is not None


# ---- Yes and no

_YES_NO = regex.compile(
    r"(?i)(?:(?P<yes>yes|ja|oui|sí|si|是的?|可以)|(?P<no>(?:no|nein|non|не)(?=\s*(?:[^\p{L}\p{N}\s]|$))|不是?|不可以))(?![\p{L}])"
)


def answers(text: str) -> bool | None:
    """Whether a text begins with a yes (True) or a no (False); None where with neither."""
    match = _YES_NO.match(text.lstrip("*_ "))
    return None if match is None else match["yes"] is not None

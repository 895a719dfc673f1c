# ruff: noqa: E501 - a pattern or a list of words that is broken over lines is harder to read
"""What a field is: from its words, or from a file of columns, to its type and its phrases.

The lexicon has what people ask of contracts, invoices, leases, letters and minutes; any other field
is found by its own words, and its type guessed from them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from corpus_agent.fields.records import FIELD_TYPES, Field, FieldType
from corpus_agent.text.tokens import fold
from indexer import UsageError, read_regular

LEXICON = frozenset(
    ["de", "en", "es", "fr", "it", "nl", "pt"]
)  # the languages of the phrases below
MAX_FIELDS = 50
MAX_FIELDS_BYTES = 100_000
_SPELT_ALIKE = 0.84  # of 1: one letter of six, and not another word of the same length
# Phrases of one thing, best first, with its type and the rule that reads it.
_KNOWN: tuple[tuple[FieldType, str, str], ...] = (
    ("place", "governing law", "governing law|applicable law|choice of law|proper law|anwendbares recht|geltendes recht|rechtswahl|droit applicable|loi applicable|ley aplicable|derecho aplicable|legge applicabile|toepasselijk recht|lei aplicável|jurisdiction"),
    ("date", "agreement date", "agreement date|contract date|date of agreement|date of the agreement|date of contract|execution date|signing date|signature date|vertragsdatum|date du contrat|fecha del contrato|data del contratto"),
    ("date", "expiry", "expiry|expiration date|expiry date|expiration|expires|end date|termination date|end of term|valid until|ablaufdatum|vertragsende|laufzeitende|ende der laufzeit|mietende|lease end|lease ends|tenancy ends|end of the lease|fin du bail|fin de contrato|fine contratto|fim do contrato|término do contrato|data de término|einde van het contract|gültig bis|date d'expiration|date de fin|fecha de vencimiento del contrato|fecha de fin|scadenza del contratto|einddatum"),
    ("date", "effective date", "effective date|commencement date|start date|date of commencement|start of the lease|in force from|vertragsbeginn|mietbeginn|beginn|inkrafttreten|date d'effet|date d'entrée en vigueur|fecha de inicio|fecha de entrada en vigor|data di inizio|ingangsdatum|begins on|begins|commences on|starts on|starting on|beginnt am|beginnt|prend effet le|commence le|comienza el|inizia il"),
    ("party", "parties", "parties|contracting parties|parties to the agreement|vertragsparteien|vertragspartner|parties au contrat|partes|parti contraenti"),
    ("duration", "notice period", "notice period|period of notice|kündigungsfrist|préavis|délai de préavis|preaviso|plazo de preaviso|preavviso|opzegtermijn|aviso prévio"),
    ("duration", "", "renewal term|renewal period|renewal|verlängerung|renouvellement|prórroga|rinnovo"),
    ("duration", "", "initial term|term of the agreement|term|contract term|duration|laufzeit|vertragsdauer|mietdauer|durée|duración|durata|looptijd"),
    ("duration", "", "payment terms|payment term|payable within|zahlungsziel|délai de paiement|plazo de pago"),
    ("date", "due date", "due date|payment due date|payment due|payable by|pay by|due by|due on|due|fälligkeitsdatum|fällig am|zahlbar bis|fällig|please pay|pay within|to be paid|bitte zahlen|bitte überweisen|à payer avant|date d'échéance|échéance|fecha de vencimiento|vencimiento|data di scadenza|scadenza|vervaldatum|data de vencimento|vencimento|betalen voor|factura vence|fattura scade|fatura vence|factuur vervalt"),
    ("date", "document date", "invoice date|date of invoice|rechnungsdatum|date de facture|date de la facture|fecha de factura|data fattura|factuurdatum|date of issue|issue date|issued on|document date|letter date|date"),
    ("date", "", "delivery date|date of delivery|delivered on|lieferdatum|liefertermin|date de livraison|fecha de entrega"),
    ("date", "", "meeting date|date of meeting|date of the meeting|sitzungsdatum|held on|date de la réunion|fecha de la reunión|minutes of the meeting of|meeting of|meeting on|sitzung vom|date|datum|fecha|data"),
    ("place", "", "place of meeting|meeting place|venue|location|held at|held in|tagungsort|sitzungsort|ort der sitzung|lieu de la réunion|lieu|lugar de la reunión|lugar|luogo|ort|place"),
    ("money", "", "grand total|total amount due|amount due|total due|balance due|invoice total|total amount|total to pay|total payable|gesamtbetrag|rechnungsbetrag|endbetrag|zahlbetrag|gesamtsumme|zu zahlen|total ttc|net à payer|montant total|importe total|total a pagar|totale da pagare|te betalen|total|totale|totaal|summe|amount|betrag"),
    ("money", "", "net amount|subtotal|net total|nettobetrag|zwischensumme|total ht|montant ht|base imponible|imponibile"),
    ("money", "", "vat amount|vat|sales tax|tax|mehrwertsteuer|mwst|umsatzsteuer|ust|tva|iva|btw"),
    ("money", "", "monthly rent|rent|nettokaltmiete|kaltmiete|nettomiete|monatsmiete|miete|mietzins|loyer mensuel|loyer|renta mensual|renta|alquiler|canone di locazione|canone|huurprijs|huur|aluguel|aluguer|renda mensal|renda"),
    ("money", "", "security deposit|tenancy deposit|rent deposit|deposit|mietkaution|kaution|dépôt de garantie|caution|fianza|cauzione|deposito cauzionale|waarborgsom|borg|caução"),
    ("money", "", "purchase price|price|kaufpreis|preis|prix de vente|prix|precio de compra|precio|prezzo|koopprijs|prijs|preço"),
    ("money", "", "salary|annual salary|gross salary|gehalt|jahresgehalt|salaire|salario|stipendio|salaris"),
    ("text", "", "invoice number|invoice no|invoice #|rechnungsnummer|rechnungsnr|rechnung nr|numéro de facture|facture n°|número de factura|factura nº|numero fattura|factuurnummer"),
    ("text", "", "subject|re|betreff|betrifft|objet|asunto|oggetto|onderwerp"),
    ("party", "", "landlord|lessor|vermieterin|vermieter|bailleur|bailleresse|propriétaire|arrendadora|arrendador|locatore|verhuurder|senhorio|senhoria|locador"),
    ("party", "", "tenant|lessee|renter|mieterin|mieter|locataire|preneur|arrendataria|arrendatario|inquilino|conduttore|locatario|huurder"),
    ("party", "", "seller|vendor|verkäuferin|verkäufer|vendeur|vendeuse|vendedora|vendedor|venditore|verkoper"),
    ("party", "", "buyer|purchaser|käuferin|käufer|acheteur|acheteuse|acquéreur|compradora|comprador|acquirente|compratore|koper"),
    ("party", "", "customer|client|bill to|billed to|sold to|kundin|kunde|auftraggeberin|auftraggeber|cliente|klant"),
    ("party", "", "supplier|provider|service provider|contractor|consultant|lieferant|auftragnehmerin|auftragnehmer|fournisseur|prestataire|proveedor|fornitore|leverancier"),
    ("party", "", "employer|arbeitgeberin|arbeitgeber|employeur|empleador|datore di lavoro|werkgever"),
    ("party", "", "employee|arbeitnehmerin|arbeitnehmer|salarié|salariée|empleado|lavoratore|dipendente|werknemer"),
    ("party", "", "licensor|lizenzgeberin|lizenzgeber|concédant|licenciante"),
    ("party", "", "licensee|lizenznehmerin|lizenznehmer|licencié|licenciatario"),
    ("party", "", "chair|chairperson|chairman|chaired by|sitzungsleitung|vorsitz|vorsitzende|présidence|presidente"),
    ("party", "", "sender|from|absender|expéditeur|remitente"),
    ("party", "", "recipient|to|empfänger|destinataire|destinatario"),
)  # fmt: skip
# Words that are asked for as these fields, and are no label of theirs in a document.
_ASKED_AS = {
    "expiry": "end ends ending ende fin einde fim",
    "effective date": "start starts begin beginning anfang début inicio inizio início aanvang",
}
_MEANS = {fold(word): phrase for phrase, words in _ASKED_AS.items() for word in words.split()}
# A field that is not in the lexicon is of the type that one of its words names.
_TYPED_BY: tuple[tuple[FieldType, str], ...] = (
    ("percent", "percent percentage share interest prozent prozentsatz zinssatz porcentaje tasso"),
    ("rate", "rate rates taux tasa tasas"),
    ("date", "date day deadline when expires expiry expiration until born birthday datum tag frist ablauf wann fecha quand data scade geburtsdatum"),
    ("duration", "period duration term notice length long lasts dauer laufzeit zeitraum durée duración durata warranty"),
    ("money", "amount price cost costs fee fees total sum rent deposit salary payment budget value premium penalty quote estimate excess refund bonus bill charge charges balance tax betrag preis kosten gebühr summe gehalt miete montant prix coût importe precio coste prezzo costo"),
    ("party", "party who name company landlord tenant owner author signatory insurer borrower lender guarantor agent partner name firma wer partei qui quién chi"),
    ("place", "place where location address city country state court seat venue ort wo stadt land gerichtsstand lieu ville lugar ciudad dónde luogo"),
    ("number", "number count quantity pages many anzahl menge nombre cantidad numero quantità"),
)  # fmt: skip


def field_of(words: str, kind: FieldType | None = None, question: str = "") -> Field:
    """The field that words name: its type guessed unless given, its phrases from the lexicon.

    `question` is what a column of a file asks; its words are looked up if the name has no entry.
    """
    name = " ".join(words.split())
    if not any(char.isalnum() for char in name):
        raise UsageError(
            f"{words!r} names no field.", 'Name it in words: corpus-agent table "due date"'
        )
    entry = _entry_of(name, question)
    if entry is not None:
        known, clause, own, rest = entry
        kept = clause if kind in (None, known) else ""
        return Field(name, kind or known, (*own, *rest), kept, question)
    guessed = kind or guessed_type(f"{name} {question}")
    return Field(name, guessed, (_as_asked(name),), question=question)


def _entry_of(
    name: str, question: str
) -> tuple[FieldType, str, Sequence[str], Sequence[str]] | None:
    """Type and clause of a field of the lexicon, the phrases that are its name, and the others."""
    for said in filter(None, (_bare(name), _bare(question))):
        asked = _MEANS.get(said, said)
        for known, clause, listed in _KNOWN:
            phrases = listed.split("|")
            if asked in map(_bare, phrases):
                own = [phrase for phrase in phrases if _bare(phrase) == asked]
                return known, clause, own, [each for each in phrases if each not in own]
    return None


def is_in_lexicon(field: Field) -> bool:
    """Whether the name of a field, or what it asks, is in the lexicon."""
    return _entry_of(field.name, field.question) is not None


def similar_phrase(name: str) -> str:
    """The phrase of the lexicon that a name is spelt like, as "landlord" for "landord"; or ""."""
    asked = _bare(name)
    phrases = {_bare(phrase): phrase for _, _, listed in _KNOWN for phrase in listed.split("|")}
    near = get_close_matches(asked, phrases, n=1, cutoff=_SPELT_ALIKE)
    return phrases[near[0]] if near else ""


def guessed_type(words: str) -> FieldType:
    """The type that words suggest; text if they suggest none."""
    asked = fold(words).split()
    if "how" in asked and "many" in asked:
        return "number"
    for kind, listed in _TYPED_BY:
        named = set(map(fold, listed.split()))
        if any(word.strip("?.,") in named for word in asked):
            return kind
    return "text"


_FILLERS = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "what",
        "which",
        "is",
        "are",
        "who",
        "when",
        "where",
        "does",
        "do",
        "it",
        "der",
        "die",
        "das",
        "le",
        "la",
        "el",
        "los",
        "il",
        "lo",
        "de",
        "di",
        "del",
        "della",
        "du",
        "do",
        "da",
        "van",
    ]
)


def _as_asked(name: str) -> str:
    """A name as a document may write it: folded, without the articles that it begins with."""
    words = fold(name).strip(" ?.:").split()
    while len(words) > 1 and words[0] in _FILLERS:
        words = words[1:]
    return " ".join(words) or fold(name)


def _bare(words: str) -> str:
    """Words as they are compared: folded, without articles and question words."""
    kept = [word for word in fold(words).strip(" ?.:").split() if word not in _FILLERS]
    return " ".join(kept)


def fields_of(words: Sequence[str], file: Path | None) -> tuple[Field, ...]:
    """The columns that were asked for: those of a file, then those named in words.

    Raises UsageError if there are none, too many, or two of one name.
    """
    fields = [*(fields_from(file) if file is not None else ()), *map(field_of, words)]
    if not fields:
        raise UsageError(
            "No field is named.", 'Name what to look for: corpus-agent table "due date" "total"'
        )
    if len(fields) > MAX_FIELDS:
        raise UsageError(f"{len(fields)} fields; a table has at most {MAX_FIELDS}.")
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The field {name!r} is named twice.", "Each column needs its name.")
    return tuple(fields)


def fields_from(file: Path) -> list[Field]:
    """The columns of a TOML file: [[fields]] with name, and type, question or phrases.

    Raises UsageError, which names the entry that is wrong.
    """
    try:
        content = tomllib.loads(_read(file).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{os.fspath(file)!r} is no TOML: {error}.") from None
    entries = content.get("fields")
    if not isinstance(entries, list) or set(content) != {"fields"}:
        raise UsageError(f"{os.fspath(file)!r} has no list of [[fields]], or more than that.")
    return [_entry(number, entry, file) for number, entry in enumerate(entries, start=1)]


def _read(file: Path) -> bytes:
    try:
        return read_regular(file, MAX_FIELDS_BYTES)
    except OSError as error:
        raise UsageError(f"{os.fspath(file)!r} cannot be read: {error.strerror}.") from None


def _entry(number: int, entry: object, file: Path) -> Field:
    where = f"Field {number} of {os.fspath(file)!r}"
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise UsageError(f"{where} has no name.", 'Write: [[fields]] name = "due date"')
    unknown = sorted(set(entry) - {"name", "question", "type", "phrases"})
    if unknown:
        raise UsageError(
            f"{where} has {unknown[0]!r}, which is no key.", "name, question, type, phrases"
        )
    kind, phrases = entry.get("type"), entry.get("phrases", [])
    if kind is not None and kind not in FIELD_TYPES:
        raise UsageError(f"{where} is of the type {kind!r}.", f"One of: {', '.join(FIELD_TYPES)}")
    if not isinstance(phrases, list) or not all(
        isinstance(phrase, str) and phrase.strip() for phrase in phrases
    ):
        raise UsageError(f"{where}: phrases is no list of texts.")
    question = entry.get("question", "")
    if not isinstance(question, str):
        raise UsageError(f"{where}: question is no text.")
    found = field_of(entry["name"], kind, question)
    if not phrases:
        return found
    return replace(found, phrases=(*map(fold, phrases), *found.phrases))

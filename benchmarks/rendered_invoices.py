"""Invoices in many languages, rendered by Chromium, with their text.

Made up, so that they may be kept; the figures differ from page to page by a fixed seed. Called by
ocr.py. Needs `chromium` and fonts (Debian: chromium fonts-noto-core fonts-noto-cjk).
"""

from __future__ import annotations

import html
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT, SCALE = 827, 1169, 2  # A4 at 100 dots an inch, twice: 200
SECONDS = 60


@dataclass(frozen=True)
class Language:
    """The words of an invoice: its labels, its goods, and a paragraph of running text."""

    code: str
    invoice: str
    date: str
    customer: str
    header: tuple[str, str, str, str]  # what, how many, price of one, sum
    goods: tuple[str, str, str, str]
    net: str
    tax: str
    total: str
    money: str  # "{}" is the amount
    comma: str  # decimal sign
    thousands: str
    terms: tuple[str, ...]
    right_to_left: bool = False


LANGUAGES = (
    Language(
        "en", "Invoice no.", "Date", "Customer: Harbour & Sons Ltd, 14 Mill Lane",
        ("Item", "Quantity", "Unit price", "Amount"),
        ("Oak table, oiled", "Delivery to the second floor", "Set of brass hinges", "Working hour"),
        "Net", "VAT 20 %", "Total", "£{}", ".", ",",
        ("Please pay within 30 days of the date above.",
         "Goods remain our property until they are paid for in full.",
         "Questions? Call Mrs Whitfield on 020 7946 0958."),
    ),
    Language(
        "de", "Rechnung Nr.", "Datum", "Kunde: Müller & Söhne GmbH, Bahnhofstraße 27",
        ("Bezeichnung", "Menge", "Einzelpreis", "Betrag"),
        ("Eichentisch, geölt", "Lieferung in den zweiten Stock", "Türbänder aus Messing",
         "Arbeitsstunde"),
        "Netto", "USt. 19 %", "Gesamtbetrag", "{} €", ",", ".",
        ("Bitte überweisen Sie den Betrag innerhalb von 14 Tagen.",
         "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
         "Für Rückfragen erreichen Sie Frau Schröder unter 030 1234567."),
    ),
    Language(
        "fr", "Facture n°", "Date", "Client : Établissements Lefèvre, 8 rue de l'Évêché",
        ("Désignation", "Quantité", "Prix unitaire", "Montant"),
        ("Table en chêne huilé", "Livraison au deuxième étage", "Charnières en laiton",
         "Heure de travail"),
        "Total HT", "TVA 20 %", "Total TTC", "{} €", ",", " ",
        ("Merci de régler cette facture sous trente jours.",
         "Les marchandises restent notre propriété jusqu'au paiement complet.",
         "Pour toute question, appelez Mme Garçon au 01 42 68 53 00."),
    ),
    Language(
        "es", "Factura n.º", "Fecha", "Cliente: Muebles Ibáñez S.L., calle Peña 5",
        ("Concepto", "Cantidad", "Precio", "Importe"),
        ("Mesa de roble", "Entrega en el segundo piso", "Bisagras de latón", "Hora de trabajo"),
        "Base imponible", "IVA 21 %", "Total a pagar", "{} €", ",", ".",
        ("Le rogamos que abone esta factura antes de treinta días.",
         "La mercancía será de nuestra propiedad hasta su pago íntegro.",
         "¿Alguna pregunta? Llame al señor Núñez al 915 550 142."),
    ),
    Language(
        "it", "Fattura n.", "Data", "Cliente: Falegnameria Bassetti, via dell'Università 3",
        ("Descrizione", "Quantità", "Prezzo", "Importo"),
        ("Tavolo in rovere", "Consegna al secondo piano", "Cerniere in ottone", "Ora di lavoro"),
        "Imponibile", "IVA 22 %", "Totale da pagare", "€ {}", ",", ".",
        ("Si prega di effettuare il pagamento entro trenta giorni.",
         "La merce resta di nostra proprietà fino al saldo.",
         "Perché attendere? Chiami la signora Niccolò allo 02 5555 0123."),
    ),
    Language(
        "pt", "Fatura n.º", "Data", "Cliente: Construções Conceição, rua de São João 41",
        ("Descrição", "Quantidade", "Preço", "Valor"),
        ("Mesa de carvalho", "Entrega no segundo andar", "Dobradiças de latão",
         "Hora de trabalho"),
        "Subtotal", "IVA 23 %", "Total a pagar", "{} €", ",", ".",
        ("Agradecemos o pagamento no prazo de trinta dias.",
         "Os bens são nossa propriedade até à sua liquidação.",
         "Em caso de dúvida, ligue para o senhor Guimarães: 213 555 019."),
    ),
    Language(
        "pl", "Faktura nr", "Data", "Nabywca: Zakład Stolarski Wójcik, ul. Źródlana 9",
        ("Nazwa towaru", "Ilość", "Cena", "Wartość"),
        ("Stół dębowy", "Dostawa na drugie piętro", "Zawiasy mosiężne", "Godzina pracy"),
        "Razem netto", "VAT 23 %", "Do zapłaty", "{} zł", ",", " ",
        ("Prosimy o zapłatę w ciągu trzydziestu dni.",
         "Towar pozostaje naszą własnością aż do pełnej zapłaty.",
         "Pytania? Proszę dzwonić do pani Żółtowskiej: 22 555 01 47."),
    ),
    Language(
        "cs", "Faktura č.", "Datum", "Odběratel: Truhlářství Dvořák, Příčná 12",
        ("Položka", "Množství", "Cena", "Částka"),
        ("Dubový stůl", "Doprava do druhého patra", "Mosazné závěsy", "Hodina práce"),
        "Základ daně", "DPH 21 %", "Celkem k úhradě", "{} Kč", ",", " ",
        ("Prosíme o úhradu do třiceti dnů od data vystavení.",
         "Zboží zůstává naším majetkem až do úplného zaplacení.",
         "Dotazy zodpoví paní Němcová na čísle 224 555 018."),
    ),
    Language(
        "sv", "Faktura nr", "Datum", "Kund: Åkerströms Snickeri, Östra vägen 6",
        ("Benämning", "Antal", "Pris", "Belopp"),
        ("Bord i ek", "Leverans till andra våningen", "Gångjärn av mässing", "Arbetstimme"),
        "Netto", "Moms 25 %", "Att betala", "{} kr", ",", " ",
        ("Betala fakturan inom trettio dagar.",
         "Varorna är vår egendom tills de är fullt betalda.",
         "Frågor? Ring Håkan Sjögren på 08 555 012 34."),
    ),
    Language(
        "tr", "Fatura no", "Tarih", "Müşteri: Çınar Ağaç İşleri, Gül Sokağı 18",
        ("Açıklama", "Miktar", "Birim fiyat", "Tutar"),
        ("Meşe masa", "İkinci kata teslim", "Pirinç menteşe", "Çalışma saati"),
        "Ara toplam", "KDV 20 %", "Genel toplam", "{} TL", ",", ".",
        ("Lütfen ödemeyi otuz gün içinde yapınız.",
         "Mallar bedeli ödenene kadar bizim mülkümüzdür.",
         "Sorularınız için Bay Yıldırım: 0212 555 01 63."),
    ),
    Language(
        "zh", "发票号码", "日期", "客户：海港家具有限公司，磨坊路14号",
        ("项目", "数量", "单价", "金额"),
        ("橡木桌子", "送货上二楼", "黄铜铰链", "工时费"),
        "小计", "增值税 13 %", "合计", "¥{}", ".", ",",
        ("请在三十天内付清本发票的款项。", "在全部付清之前，货物仍归我方所有。",
         "如有疑问，请致电王女士：010 5555 0192。"),
    ),
    Language(
        "ja", "請求書番号", "日付", "お客様：港家具株式会社、水車町14番地",
        ("品名", "数量", "単価", "金額"),
        ("オーク材の机", "二階への配達", "真鍮の蝶番", "作業時間"),
        "小計", "消費税 10 %", "合計", "¥{}", ".", ",",
        ("請求日から三十日以内にお支払いください。", "全額お支払いまで商品は当社の所有物です。",
         "ご質問は山田まで：03 5555 0147。"),
    ),
    # The scripts that rapidocr's model has no letters for.
    Language(
        "ru", "Счёт №", "Дата", "Покупатель: Мебельный дом «Гавань», улица Мира 14",
        ("Наименование", "Количество", "Цена", "Сумма"),
        ("Дубовый стол", "Доставка на второй этаж", "Латунные петли", "Час работы"),
        "Итого без налога", "НДС 20 %", "Всего к оплате", "{} руб.", ",", " ",
        ("Просим оплатить счёт в течение тридцати дней.",
         "До полной оплаты товар остаётся нашей собственностью.",
         "Вопросы? Звоните госпоже Щербаковой: 495 555 01 72."),
    ),
    Language(
        "el", "Τιμολόγιο αρ.", "Ημερομηνία", "Πελάτης: Έπιπλα Λιμάνι, οδός Μύλου 14",
        ("Περιγραφή", "Ποσότητα", "Τιμή", "Ποσό"),
        ("Δρύινο τραπέζι", "Παράδοση στον δεύτερο όροφο", "Ορειχάλκινοι μεντεσέδες",
         "Ώρα εργασίας"),
        "Καθαρή αξία", "ΦΠΑ 24 %", "Σύνολο", "{} €", ",", ".",
        ("Παρακαλούμε εξοφλήστε το τιμολόγιο σε τριάντα ημέρες.",
         "Τα προϊόντα παραμένουν ιδιοκτησία μας έως την εξόφληση.",
         "Για ερωτήσεις καλέστε την κυρία Αγγελοπούλου: 210 555 0136."),
    ),
    Language(
        "ko", "청구서 번호", "날짜", "고객: 항구가구 주식회사, 물레방아길 14",
        ("품목", "수량", "단가", "금액"),
        ("참나무 책상", "이층까지 배달", "황동 경첩", "작업 시간"),
        "공급가액", "부가세 10 %", "합계", "{} 원", ".", ",",
        ("삼십 일 이내에 대금을 지불해 주십시오.", "완납 전까지 물품은 당사의 소유입니다.",
         "문의: 김영희 02 5555 0118."),
    ),
    Language(
        "th", "เลขที่ใบแจ้งหนี้", "วันที่", "ลูกค้า: บริษัท ท่าเรือ จำกัด 14 ถนนโรงสี",
        ("รายการ", "จำนวน", "ราคา", "ยอดเงิน"),
        ("โต๊ะไม้โอ๊ก", "ส่งถึงชั้นสอง", "บานพับทองเหลือง", "ชั่วโมงทำงาน"),
        "รวมก่อนภาษี", "ภาษี 7 %", "รวมทั้งสิ้น", "{} บาท", ".", ",",
        ("กรุณาชำระเงินภายในสามสิบวัน", "สินค้ายังเป็นของเราจนกว่าจะชำระครบ",
         "สอบถาม: 02 555 0164"),
    ),
    Language(
        "hi", "बीजक संख्या", "दिनांक", "ग्राहक: बंदरगाह फर्नीचर, चक्की मार्ग 14",
        ("विवरण", "मात्रा", "दर", "राशि"),
        ("लकड़ी की मेज", "दूसरी मंजिल तक पहुँचाना", "पीतल के कब्जे", "काम का घंटा"),
        "उप योग", "कर 18 %", "कुल योग", "{} रुपये", ".", ",",
        ("कृपया तीस दिनों के भीतर भुगतान करें।", "पूरा भुगतान होने तक माल हमारा रहेगा।",
         "प्रश्न: 011 5555 0129"),
    ),
    Language(
        "ar", "فاتورة رقم", "التاريخ", "العميل: شركة الميناء للأثاث",
        ("البيان", "الكمية", "السعر", "المبلغ"),
        ("طاولة من خشب البلوط", "التوصيل إلى الطابق الثاني", "مفصلات نحاسية", "ساعة عمل"),
        "المجموع", "الضريبة 15 %", "الإجمالي", "{} ريال", ".", ",",
        ("يرجى الدفع خلال ثلاثين يوما.", "تبقى البضاعة ملكا لنا حتى السداد الكامل."),
        right_to_left=True,
    ),
    Language(
        "he", "חשבונית מספר", "תאריך", "לקוח: רהיטי הנמל בע״מ",
        ("פריט", "כמות", "מחיר", "סכום"),
        ("שולחן אלון", "משלוח לקומה השנייה", "צירי פליז", "שעת עבודה"),
        "סכום ביניים", "מע״מ 17 %", "סך הכול", "{} ש״ח", ".", ",",
        ("נא לשלם בתוך שלושים יום.", "הסחורה נשארת שלנו עד לתשלום המלא."),
        right_to_left=True,
    ),
)  # fmt: skip


def _amount(language: Language, cents: int) -> str:
    whole = f"{cents // 100:,}".replace(",", language.thousands)
    return language.money.format(f"{whole}{language.comma}{cents % 100:02}")


def rows(language: Language, number: int) -> list[tuple[str, ...]]:
    """The rows of one invoice, each as its cells from the first to the last."""
    chance = random.Random(f"{language.code} {number}")
    day, month = chance.randint(1, 28), chance.randint(1, 12)
    found: list[tuple[str, ...]] = [
        (f"{language.invoice} {chance.randint(2019, 2026)}-{chance.randint(1, 99_999):05}",),
        (f"{language.date}: {day:02}.{month:02}.{chance.randint(2019, 2026)}",),
        (language.customer,),
        language.header,
    ]
    net = 0
    for _ in range(9):
        what, count = chance.choice(language.goods), chance.randint(1, 40)
        price = chance.randint(99, 250_000)
        net += count * price
        found.append((what, str(count), _amount(language, price), _amount(language, count * price)))
    tax = net // 5
    found += [
        (language.net, _amount(language, net)),
        (language.tax, _amount(language, tax)),
        (language.total, _amount(language, net + tax)),
        *((term,) for term in language.terms),
    ]
    return found


def page(language: Language, number: int) -> str:
    """The invoice as HTML."""
    body = []
    for cells in rows(language, number):
        if len(cells) == 1:
            body.append(f"<p>{html.escape(cells[0])}</p>")
        else:
            shown = "".join(
                f"<td style='width:{'52%' if n == 0 else '16%'};"
                f"text-align:{'start' if n == 0 else 'end'}'>{html.escape(cell)}</td>"
                for n, cell in enumerate(cells)
            )
            body.append(f"<table style='width:100%'><tr>{shown}</tr></table>")
    fonts = ("serif", "sans-serif")[number % 2]
    direction = "rtl" if language.right_to_left else "ltr"
    return (
        f"<!doctype html><html lang={language.code} dir={direction}><meta charset=utf-8>"
        f"<body style='margin:60px;font:17px/1.6 {fonts};background:white'>{''.join(body)}"
    )


def text(language: Language, number: int) -> str:
    """The invoice's text, a row on a line."""
    return "\n".join(" ".join(cells) for cells in rows(language, number))


def render(language: Language, number: int, folder: Path) -> Path:
    """The invoice as a PNG in `folder`; raises FileNotFoundError without Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("chromium")
    picture = folder / f"{language.code}-{number}.png"
    source = picture.with_suffix(".html")
    source.write_text(page(language, number), "utf-8")
    subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--force-device-scale-factor={SCALE}", f"--window-size={WIDTH},{HEIGHT}",
            f"--user-data-dir={folder / 'profile'}",
            f"--screenshot={picture}", source.as_uri(),
        ],
        check=True, capture_output=True, timeout=SECONDS,
    )  # fmt: skip
    return picture

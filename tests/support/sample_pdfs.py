"""Write the PDF files of the sample corpus.

Usage: python tests/support/sample_pdfs.py [OUTPUT_DIR]   (default: ../sample_corpus)

    home/home-insurance.pdf              3 pages, a contents insurance policy
    bike/varda-c7-manual.pdf             6 pages, a manual with one subject on each page
    papers/bus-shelter-shading.pdf       3 pages, two justified columns with hyphenated lines
    scans/chimney-sweep-receipt.pdf      1 page, a picture only: there is no text layer
    scans/council-tax-2024.pdf           a PDF cut off at 55 % of its bytes: it cannot be read

The same versions of reportlab and Pillow give the same bytes on every run: reportlab is in its
invariant mode (fixed dates and ids) and text is left uncompressed, so that the bytes do not hang
on the zlib at hand. Only the scan's picture is compressed. Everyone and everything in these
documents is invented.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.graphics.shapes import Circle, Drawing, Line, Rect, String
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

WIDTH, HEIGHT = A4
TRUNCATE_AT = 0.55

# ---------------------------------------------------------------------------------------------
# Layout shared by the documents
# ---------------------------------------------------------------------------------------------

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=11, leading=15.5, spaceAfter=7)
CELL = ParagraphStyle("cell", parent=BODY, fontSize=10, leading=13, spaceAfter=0)
CELL_BOLD = ParagraphStyle("cell-bold", parent=CELL, fontName="Helvetica-Bold")
TITLE = ParagraphStyle(
    "title", parent=BODY, fontName="Helvetica-Bold", fontSize=22, leading=27, spaceAfter=10
)
HEADING = ParagraphStyle(
    "heading",
    parent=BODY,
    fontName="Helvetica-Bold",
    fontSize=15,
    leading=19,
    spaceBefore=12,
    spaceAfter=7,
)
SUBHEADING = ParagraphStyle(
    "subheading", parent=HEADING, fontSize=12, leading=15, spaceBefore=10, spaceAfter=5
)

Decorate = Callable[[Canvas, Any], None]


def footer(left: str, pages: int) -> Decorate:
    """A page decoration: a thin line, *left*, and 'Page n of pages'."""

    def draw(canvas: Canvas, doc: Any) -> None:
        canvas.saveState()
        canvas.setStrokeColor(colors.grey)
        canvas.line(22 * mm, 17 * mm, WIDTH - 22 * mm, 17 * mm)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(22 * mm, 12.5 * mm, left)
        canvas.drawRightString(WIDTH - 22 * mm, 12.5 * mm, f"Page {doc.page} of {pages}")
        canvas.restoreState()

    return draw


def build(story: list[Any], templates: list[PageTemplate], title: str, author: str) -> bytes:
    """Lay out *story* and return the bytes of the PDF."""
    out = BytesIO()
    doc = BaseDocTemplate(
        out, pagesize=A4, title=title, author=author, invariant=1, pageCompression=0
    )
    doc.addPageTemplates(templates)
    doc.build(story)
    return out.getvalue()


def one_column(decorate: Decorate) -> PageTemplate:
    """A plain A4 page with one frame."""
    frame = Frame(22 * mm, 20 * mm, WIDTH - 44 * mm, HEIGHT - 40 * mm, 0, 0, 0, 0)
    return PageTemplate(id="plain", frames=[frame], onPage=decorate)


def table(rows: list[list[str]], widths: list[float]) -> Table:
    """A ruled table; the first of *rows* is its head, *widths* are in millimetres."""
    head = [Paragraph(text, CELL_BOLD) for text in rows[0]]
    body = [[Paragraph(text, CELL) for text in row] for row in rows[1:]]
    style = [
        ("BACKGROUND", (0, 0), (-1, 0), colors.Color(0.88, 0.9, 0.92)),
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
    ]
    made = Table([head, *body], colWidths=[width * mm for width in widths], hAlign="LEFT")
    made.setStyle(TableStyle(style))
    return made


def flow(*items: str | Table | Drawing) -> list[Any]:
    """Flowables from short marks: '# ' title, '## ' heading, '### ' subheading, '- ' bullet."""
    marks = {"# ": TITLE, "## ": HEADING, "### ": SUBHEADING}
    made: list[Any] = []
    for item in items:
        if not isinstance(item, str):
            made += [item, Spacer(1, 3 * mm)]
        elif item.startswith("- "):
            style = ParagraphStyle("bullet", parent=BODY, leftIndent=12, spaceAfter=3)
            made.append(Paragraph(item[2:], style, bulletText="\u2022"))
        else:
            mark = next((m for m in marks if item.startswith(m)), "")
            made.append(Paragraph(item[len(mark) :], marks.get(mark, BODY)))
    return made


def join_pages(pages: list[list[Any]]) -> list[Any]:
    """One story from the stories of single pages, with page breaks between them."""
    story: list[Any] = []
    for number, page in enumerate(pages):
        story += [PageBreak(), *page] if number else page
    return story


# ---------------------------------------------------------------------------------------------
# home/home-insurance.pdf
# ---------------------------------------------------------------------------------------------


def insurance_schedule() -> list[Any]:
    """Page 1: who, what, how much."""
    return flow(
        "# Home Contents Insurance",
        "## Policy schedule",
        "Fernhill Mutual Insurance Society, 1 Rampart Row, Ludbury",
        table(
            [
                ["Item", "Detail"],
                ["Policy number", "FM-HC-2286471"],
                ["Policyholders", "Ms I. Harwood and Mr K. Moriya"],
                ["Insured address", "Flat 2, 14 Coppice Row (first floor, purpose-built)"],
                ["Period of insurance", "1 September 2025 to 31 August 2026, both days included"],
                ["Sum insured, contents", "\u00a345,000, new for old"],
                ["Single article limit", "\u00a31,500 unless listed below"],
                ["Standard excess", "\u00a3150 for each claim"],
                ["Annual premium", "\u00a3168.40 including insurance premium tax"],
                ["Payment", "in full by debit card on 19 August 2025"],
                ["No-claims discount", "4 years"],
            ],
            [48, 112],
        ),
        "### Listed articles",
        table(
            [
                ["Article", "Value", "Cover"],
                ["Violin, A. Kellner workshop, 1921", "\u00a34,200", "at home and away"],
                ["Camera body and two lenses", "\u00a32,050", "at home only"],
            ],
            [80, 30, 50],
        ),
        "### Please check",
        "This schedule is based on the answers you gave on 12 August 2025. Tell us without delay "
        "if any of them is wrong, or if during the period you move, take in a lodger, or let the "
        "flat. A change may alter the premium; we charge no fee for changes made online.",
    )


def insurance_cover() -> list[Any]:
    """Page 2: what is covered."""
    return flow(
        "## Section A: What is covered",
        "We insure your contents against the events below while they are inside the insured "
        "address, up to the sums in the schedule.",
        table(
            [
                ["Event", "Limit", "Excess"],
                ["Fire, smoke, lightning, explosion", "sum insured", "\u00a3150"],
                ["Theft with forced entry", "sum insured", "\u00a3150"],
                ["Theft from the cellar compartment", "\u00a33,000", "\u00a3150"],
                ["Escape of water or heating oil", "sum insured", "\u00a3350"],
                ["Food in the freezer after a power cut", "\u00a3400", "none"],
                ["Lost or stolen keys, new locks", "\u00a3600", "none"],
            ],
            [88, 36, 36],
        ),
        "### A.4 Bicycles away from home",
        "Each bicycle, including one with electric assistance up to 25 km/h, is insured "
        "anywhere in the United Kingdom against theft, up to \u00a32,800 for each bicycle.",
        "This cover applies only if the frame was locked to a fixed object with a lock rated "
        "Gold or better. Batteries that were left on the bicycle are covered only if they were "
        "locked in place with their own key.",
        "### A.5 Visitors",
        "Belongings of guests staying overnight are covered up to \u00a3500 in all. Money, "
        "jewellery and items used for their work are not included.",
        "### A.6 Alternative accommodation",
        "If the flat cannot be lived in after an insured event we pay reasonable costs of "
        "somewhere similar for at most 26 weeks.",
        "### A.7 Tenant's liability",
        "We pay up to \u00a310,000 for damage to the landlord's fixtures and fittings for which "
        "you are responsible under your tenancy agreement.",
    )


def insurance_claims() -> list[Any]:
    """Page 3: what is not covered, and how to claim."""
    return flow(
        "## Section B: What is not covered",
        "- wear and tear, moth, vermin, damp that builds up slowly;",
        "- loss or damage while the flat has been left without an occupant for more than "
        "45 days in a row;",
        "- theft by a person who was let in by you or a member of your household;",
        "- scratches and dents to bicycles that do not affect their use;",
        "- anything used for a trade, other than a computer and desk in your own home;",
        "- drones and anything else that flies.",
        "## Section C: How to claim",
        "### C.1 Tell us",
        "Telephone 0114 496 0182, Monday to Saturday, 8 am to 7 pm. For an emergency out of "
        "hours choose option 3. You may also send the form on our web site.",
        "### C.2 Time limits",
        table(
            [
                ["What", "Within"],
                ["Report a theft to the police", "24 hours of finding out"],
                ["Tell us about a theft", "7 days"],
                ["Tell us about anything else", "30 days"],
                ["Send receipts, photographs, estimates", "60 days of our asking"],
            ],
            [90, 70],
        ),
        "### C.3 What we need",
        "Your policy number, a police reference for theft, and proof of what it cost. A bank "
        "statement is enough below \u00a3250.",
        "### C.4 If we disagree",
        "Write to the complaints manager, Mrs Odile Farrant, at the address on page 1. She answers "
        "within eight weeks. After that you may go to the ombudsman free of charge.",
        "## Section D: Cancelling",
        "You may cancel within 14 days of receiving these papers and get everything back. Later we "
        "return the unused part of the premium less \u00a325.",
    )


def home_insurance() -> bytes:
    """The contents insurance policy."""
    pages = [insurance_schedule(), insurance_cover(), insurance_claims()]
    decorate = footer("Fernhill Mutual \u00b7 Home Contents \u00b7 FM-HC-2286471", len(pages))
    title = "Home Contents Insurance, policy FM-HC-2286471"
    return build(join_pages(pages), [one_column(decorate)], title, "Fernhill Mutual")


# ---------------------------------------------------------------------------------------------
# bike/varda-c7-manual.pdf
# ---------------------------------------------------------------------------------------------


def bicycle_drawing() -> Drawing:
    """A line drawing of a bicycle for the first page."""
    drawing = Drawing(160 * mm, 76 * mm)
    rear, front, bottom = (105.0, 75.0), (325.0, 75.0), (195.0, 72.0)
    seat, head, bar = (172.0, 158.0), (292.0, 158.0), (285.0, 184.0)
    for x, y in (rear, front):
        for radius, stroke in ((62, 3), (56, 0.6), (6, 1.5)):
            drawing.add(Circle(x, y, radius, fillColor=None, strokeWidth=stroke))
    tubes = [(rear, bottom), (rear, seat), (bottom, seat), (seat, head), (bottom, head)]
    for (x1, y1), (x2, y2) in [*tubes, (head, front), (head, bar)]:
        drawing.add(Line(x1, y1, x2, y2, strokeWidth=5, strokeColor=colors.Color(0.15, 0.3, 0.35)))
    drawing.add(Line(seat[0], seat[1], 167, 182, strokeWidth=4))
    drawing.add(Line(148, 184, 188, 184, strokeWidth=6))
    drawing.add(Line(bar[0], bar[1], 302, 192, strokeWidth=4))
    drawing.add(Circle(bottom[0], bottom[1], 15, strokeWidth=2, fillColor=colors.lightgrey))
    return drawing


def manual_overview() -> list[Any]:
    """Page 1: cover and identification."""
    return flow(
        "# Varda C7 Touring",
        "Owner's manual \u00b7 model years 2023 and 2024 \u00b7 English",
        bicycle_drawing(),
        "## 1 Your bicycle",
        table(
            [
                ["", "C7 Touring, frame sizes M and L"],
                ["Motor", "Ostra M2 mid-drive, 250 W, 65 Nm"],
                ["Battery", "Ostra P504, 504 Wh, in the down tube"],
                ["Gears", "8-speed hub, chain"],
                ["Weight, size M, without luggage", "23.8 kg"],
                ["Permitted total weight (bicycle, rider, luggage)", "140 kg"],
                ["Rear carrier, at most", "27 kg"],
                ["Lamp", "front 70 lux, runs for 2 hours after motor cut-off"],
            ],
            [80, 80],
        ),
        "The frame number is stamped under the bottom bracket. Write it here together with the "
        "number of the battery key; we can cut a new key only from that number.",
        "Frame no. <u>VC7-M-2304417</u> &nbsp;&nbsp;&nbsp; Key no. <u>K 5521</u>",
        "Keep this manual with the bicycle. Read page 4 before you charge for the first time.",
    )


def manual_riding() -> list[Any]:
    """Page 2: before riding."""
    return flow(
        "## 2 Before you ride",
        "### 2.1 Saddle and handlebar",
        "Never pull the seat post out beyond its mark: at least 80 mm must stay inside the frame. "
        "Loosen the clamp by hand, set the height, close the lever so that it leaves a print in "
        "your palm. The stem is height-adjustable over 45 mm without tools.",
        "### 2.2 Tyre pressure",
        "Measure with cold tyres. Values are in bar and hold for the 47-622 tyres fitted by us.",
        table(
            [
                ["Rider and luggage", "Front tyre", "Rear tyre"],
                ["up to 70 kg", "2.6 bar", "3.0 bar"],
                ["70 to 95 kg", "3.1 bar", "3.5 bar"],
                ["more than 95 kg", "3.6 bar", "4.2 bar"],
            ],
            [60, 50, 50],
        ),
        "On loose gravel you may go 0.3 bar lower. Never ride below 2.2 bar: the rim will be hit.",
        "### 2.3 Brakes",
        "New pads need about 30 firm stops from 25 km/h before they bite properly. The right lever "
        "works the front brake on bicycles sold in the United Kingdom.",
        "### 2.4 Check before every ride",
        "- Battery is locked: pull on it.",
        "- Wheels sit tightly; quick-release or axle is closed.",
        "- Both brakes hold when you push the bicycle forward.",
        "- Lights work and the bell is not under the display.",
        "### 2.5 Child seats and trailers",
        "A child seat may be fitted to the seat tube up to 22 kg including the child. Trailers "
        "are allowed with the axle adapter VX-12; keep to 20 km/h.",
    )


def manual_torque() -> list[Any]:
    """Page 3: tightening torques."""
    return flow(
        "## 3 Tightening torques",
        "Use a torque wrench. A bolt that is too tight fails as surely as one that is loose, only "
        "later and further from home. All threads clean and dry unless grease is named.",
        table(
            [
                ["Part", "Tool", "Torque", "Remark"],
                ["Stem, faceplate bolts", "4 mm hex", "5.5 Nm", "crosswise, even gap"],
                ["Stem, steerer clamp", "4 mm hex", "7 Nm", "after setting the headset"],
                ["Seat post clamp bolt", "5 mm hex", "6 Nm", "no grease"],
                ["Saddle rail clamp", "6 mm hex", "14 Nm", ""],
                ["Crank arm", "8 mm hex", "48 Nm", "grease the thread"],
                ["Pedals", "15 mm spanner", "38 Nm", "left pedal: left-hand thread"],
                ["Chainring lockring", "special tool T7", "30 Nm", "workshop only"],
                ["Rear axle nuts", "15 mm spanner", "35 Nm", "both sides alternately"],
                ["Front thru axle", "6 mm hex", "12 Nm", "thin coat of grease"],
                ["Brake caliper", "5 mm hex", "8 Nm", "new screw-lock each time"],
                ["Brake lever clamp", "4 mm hex", "3 Nm", "must turn in a fall"],
                ["Motor mounting bolts", "Torx T40", "22 Nm", "workshop only"],
                ["Rear carrier", "5 mm hex", "9 Nm", ""],
                ["Mudguard stays", "3 mm hex", "2.5 Nm", ""],
            ],
            [48, 36, 24, 52],
        ),
        "### 3.1 After the first ride",
        "Check stem, crank arms and pedals again after 100 km. These three settle.",
        "### 3.2 Grease",
        "We use calcium grease on threads. Do not use copper paste near the brakes.",
    )


def manual_battery() -> list[Any]:
    """Page 4: battery and charging."""
    return flow(
        "## 4 Battery and charging",
        "### 4.1 The charger",
        "Use only the charger CX-4A that came with the bicycle. It must not get wet, so charge "
        "indoors or take the battery out. The socket cover has to be closed when riding.",
        table(
            [
                ["", "CX-4A (supplied)", "CX-6 (optional)"],
                ["Charging current", "4 A", "6 A"],
                ["From empty to 80 %", "2 h 50 min", "1 h 55 min"],
                ["From empty to full", "4 h 15 min", "3 h 05 min"],
                ["Permitted temperature", "0 to 40 \u00b0C", "5 to 35 \u00b0C"],
            ],
            [50, 55, 55],
        ),
        "### 4.2 Lights on the battery",
        "Five lights show the charge, one for each fifth. If the first light blinks red quickly, "
        "the battery is too cold or too hot and waits until it can charge.",
        "### 4.3 Range",
        "With a full battery, a rider of 75 kg and rolling country you can expect about 95 km in "
        "level Eco, 60 km in Tour and 40 km in High. Frost costs up to a third of it.",
        "### 4.4 Storing over winter",
        "Store the battery dry, between 10 and 20 \u00b0C, charged to 40 to 60 per cent. Check it "
        "every eight weeks and charge it up again when only one light is left. A battery that was "
        "left empty for months cannot be saved and is not covered by the guarantee.",
        "### 4.5 Transport",
        "On a car carrier the battery must be taken out. Airlines do not accept it at all: at "
        "504 Wh it is far above what is allowed in a cabin or a hold.",
        "### 4.6 Damage",
        "After a fall, a dent or contact with water stop using the battery, put it outdoors on "
        "stone and call your dealer. Do not open it.",
    )


def manual_display() -> list[Any]:
    """Page 5: display and error codes."""
    return flow(
        "## 5 Display and error codes",
        "The display D3 has three buttons: plus, minus, and a round one. Hold the round button for "
        "2 seconds to switch on. Hold plus for the light. Hold minus for walking assistance "
        "(up to 6 km/h, only while it is held).",
        table(
            [
                ["Code", "Meaning", "What to do"],
                [
                    "E1017",
                    "Speed sensor gets no signal",
                    "Turn the magnet on the rear spoke towards the sensor, gap 5 to 12 mm.",
                ],
                [
                    "E1042",
                    "Torque sensor not at zero",
                    "Switch off. Take both feet off the pedals, wait 10 seconds, switch on.",
                ],
                [
                    "E1043",
                    "Torque sensor defective",
                    "Riding without assistance is possible. See a dealer.",
                ],
                ["E1108", "Motor too hot", "Ride in Eco or rest for 20 minutes in the shade."],
                [
                    "E1203",
                    "Battery does not answer",
                    "Take it out, clean the contacts with a dry cloth, put it back.",
                ],
                ["E1216", "Wrong charger", "Unplug at once. Use only CX-4A or CX-6."],
                ["E1310", "Wrong display software", "Dealer updates with the service lead."],
            ],
            [20, 55, 85],
        ),
        "If a code comes back three times on one ride, do not keep clearing it; see a dealer.",
        "### 5.1 Resetting the trip counter",
        "Hold plus and minus together for 4 seconds. The total distance cannot be reset.",
        "### 5.2 Clock",
        "There is no winter time change in the display. In the menu choose SET, then CLK, and use "
        "plus and minus; the round button moves on.",
    )


def manual_service() -> list[Any]:
    """Page 6: service intervals and guarantee."""
    return flow(
        "## 6 Service and guarantee",
        table(
            [
                ["When", "What", "By whom"],
                ["after 300 km", "first service: spokes, headset, software", "dealer"],
                ["every month", "clean and oil the chain, check tyre pressure", "you"],
                ["every 1,000 km", "measure chain wear, look at the brake pads", "you"],
                ["every 2,500 km or yearly", "full service with read-out of the motor", "dealer"],
                ["every 5,000 km", "oil change in the hub gear", "dealer"],
                ["every 2 years", "bleed both brakes with mineral oil", "dealer"],
            ],
            [46, 84, 30],
        ),
        "### 6.1 Wear limits",
        "Change the chain at 0.75 per cent elongation. Brake pads are done at 0.9 mm of lining. "
        "Brake discs must not be thinner than 1.5 mm at any point.",
        "### 6.2 Cleaning",
        "Water from a can and a soft brush. Keep pressure washers away from the motor, hubs and "
        "headset. Dry the contacts of the battery before you put it back.",
        "### 6.3 Guarantee",
        "Frame: 5 years. Motor and display: 24 months. The battery is guaranteed for two years or "
        "500 full charges, whichever comes first, to keep 60 per cent of its capacity. The "
        "guarantee needs stamps for the first and each yearly service.",
        "### 6.4 Stamps",
        table(
            [
                ["Service", "Date", "km", "Stamp"],
                ["First", "14 June 2023", "322", "Spoke & Sons"],
                ["Yearly 1", "22 May 2024", "2,480", "Spoke & Sons"],
                ["Yearly 2", "3 June 2025", "4,915", "Spoke & Sons"],
                ["Yearly 3", "", "", ""],
            ],
            [40, 40, 30, 50],
        ),
        "Varda Cycles, Dock 4, Holmvik \u00b7 service@varda-cycles.invalid",
    )


def bike_manual() -> bytes:
    """The manual of the electric bicycle."""
    pages = [
        manual_overview(),
        manual_riding(),
        manual_torque(),
        manual_battery(),
        manual_display(),
        manual_service(),
    ]
    decorate = footer("Varda C7 Touring \u00b7 Owner's manual \u00b7 rev. 4", len(pages))
    title = "Varda C7 Touring, owner's manual"
    return build(join_pages(pages), [one_column(decorate)], title, "Varda Cycles")


# ---------------------------------------------------------------------------------------------
# papers/bus-shelter-shading.pdf
# ---------------------------------------------------------------------------------------------

PAPER_TITLE = (
    "Slats, Sails and Seats: Passive Shading and Bench Temperature at Suburban Bus Shelters"
)
PAPER_AUTHORS = "Lucia Ferreira-Holt, Marten Osei-Lund and Juhana Takala"
PAPER_PLACE = "Institute for Street Climate, University of Eastmere"
MARGIN = 22 * mm
COLUMN_GAP = 7 * mm
COLUMN = (WIDTH - 2 * MARGIN - COLUMN_GAP) / 2

PAPER_BODY = ParagraphStyle(
    "paper-body",
    fontName="Times-Roman",
    fontSize=11,
    leading=14.4,
    alignment=TA_JUSTIFY,
    firstLineIndent=10,
)
PAPER_FIRST = ParagraphStyle("paper-first", parent=PAPER_BODY, firstLineIndent=0)
PAPER_SMALL = ParagraphStyle(
    "paper-small", parent=PAPER_FIRST, fontSize=9.5, leading=12, spaceAfter=3
)
PAPER_HEAD = ParagraphStyle(
    "paper-head",
    parent=PAPER_FIRST,
    fontName="Times-Bold",
    fontSize=12,
    leading=15,
    alignment=0,
    spaceBefore=9,
    spaceAfter=3,
    keepWithNext=1,
)
PAPER_CENTRE = ParagraphStyle("paper-centre", parent=PAPER_FIRST, alignment=TA_CENTER)

# Where a word may be broken at the end of a line.
BREAKS = """
    ad-ja-cent after-noon air-flow alu-min-ium am-bi-ent ap-prox-i-mate-ly as-phalt at-tached
    av-er-age ben-e-fit build-ings cal-i-brat-ed card-board clear-ance com-par-i-son com-par-ing
    con-duct-ed con-sid-er-able cov-ered day-light de-ploy-ment de-signs dif-fer-ence
    dif-fer-ences dis-com-fort dur-ing ef-fect ef-fects ev-ery ex-pect-ed ex-posed ex-po-sure
    fab-ric fol-low-ing galva-nised hard-wood in-stall-ed in-stru-ments in-ter-val in-ves-ti-gate
    log-gers main-te-nance ma-te-ri-al ma-te-ri-als max-i-mum mea-sured mea-sure-ment
    mea-sure-ments me-di-an mu-nic-i-pal neigh-bour-hood nev-er-the-less ob-served open-ing
    ori-en-ta-tion par-tic-u-lar pas-sen-ger pas-sen-gers pe-ri-od poly-car-bon-ate pos-si-ble
    pre-vi-ous ques-tion ra-di-a-tion re-cord-ed re-duced re-duc-tion re-main-ing re-port-ed
    res-i-dents sep-a-rate shad-ing shel-ter shel-ters sig-nif-i-cant slat-ted so-lar stan-dard
    sub-ur-ban sum-mer sur-face sur-fac-es sur-round-ing tem-per-a-ture tem-per-a-tures
    ther-mal to-geth-er trans-mit-ted un-shad-ed un-treat-ed ve-hi-cles ven-ti-la-tion wait-ing
    weath-er with-out
"""
HYPHENATED = {word.replace("-", ""): word.replace("-", "\u00ad") for word in BREAKS.split()}


def hyphenate(text: str) -> str:
    """Put soft hyphens into the words of BREAKS."""

    def soften(match: re.Match[str]) -> str:
        word = match.group()
        soft = HYPHENATED.get(word.lower(), word)
        return word[0] + soft[1:]

    return re.sub(r"[A-Za-z]{5,}", soften, text)


def paper_flow(*items: str | Table | Drawing) -> list[Any]:
    """Flowables of the paper: '## ' heading, '> ' small print, anything else justified body."""
    made: list[Any] = []
    style = PAPER_FIRST
    for item in items:
        if not isinstance(item, str):
            made += [Spacer(1, 2 * mm), item, Spacer(1, 1 * mm)]
        elif item.startswith("## "):
            made.append(Paragraph(item[3:], PAPER_HEAD))
            style = PAPER_FIRST
        elif item.startswith("> "):
            made.append(Paragraph(hyphenate(item[2:]), PAPER_SMALL))
        else:
            made.append(Paragraph(hyphenate(item), style))
            style = PAPER_BODY
    return made


def paper_opening() -> list[Any]:
    """Abstract and introduction."""
    return paper_flow(
        "## Abstract",
        "> Waiting for a bus in summer is hottest where there is a shelter: roofs of clear plastic "
        "let the sun through and keep the wind out. We fitted two inexpensive kinds of shading to "
        "municipal bus shelters in a suburban district and measured the temperature of the bench "
        "during one summer. Both kinds lowered the afternoon temperature of the seat. Slatted "
        "timber did better than a fabric sail in still weather and lasted longer. Passengers sat "
        "down more often, although they did not say that they felt cooler. We describe what was "
        "installed, what it cost in labour, and what we would do differently.",
        "> <b>Keywords:</b> street furniture, shading, surface temperature, public transport, heat",
        "## 1 Introduction",
        "The standard bus shelter of many towns was designed against rain. It has three walls of "
        "toughened glass and a roof of polycarbonate, it is bolted to asphalt, and it faces the "
        "road whatever the orientation of the road may be. On a bright day in July it works like a "
        "greenhouse with one side missing. The bench is the part that a passenger touches, and it "
        "is often the warmest thing within reach.",
        "Trees would be the better answer. They also need eleven or twelve years, a pit without "
        "cables, and somebody with a watering can. In the district we worked in, two thirds of the "
        "stops have a gas main or a telephone duct below the pavement, and no tree can be planted "
        "there at all. The question we were asked by the municipal transport office was therefore "
        "modest: what can be attached to the shelter that stands there already, in one morning, "
        "without a crane and without closing the stop?",
        "Earlier work has mostly looked at air temperature and at radiation models of whole "
        "streets. Fewer groups have measured the seat itself. Brandt and Okuda report bench "
        "temperatures of up to 58 \u00b0C under clear roofs, but with a single shelter and over "
        "nine days. Veldhuis compared materials in a car park without any shelter. Neither can say "
        "how much of the heat a simple roof on top of the roof would remove, and whether anybody "
        "would notice.",
        "We chose two designs that a town workshop can build. The first is a frame of untreated "
        "larch slats that lies on the roof with a small clearance. The second is a triangular sail "
        "of knitted fabric, of the sort sold for gardens, stretched above the roof from two poles "
        "and the back wall. Both were kept below the weight at which the shelter would have needed "
        "a new structural certificate. A third group of shelters was left as it was.",
        "We expected the sail to win, because it shades part of the glass as well. It did not, and "
        "the reasons are of some practical use.",
    )


def paper_methods() -> list[Any]:
    """Where and how it was measured."""
    return paper_flow(
        "## 2 Methods",
        "The study was conducted in Norrey, a suburban district of low buildings, between 2 June "
        "and 7 September 2023. From the 61 stops of bus lines 4 and 9 we took those with a "
        "standard shelter, no tree within 15 m, and an open side facing between south and west. "
        "Eighteen were left. They were drawn by lot into three groups of six: slats, sail, and no "
        "change. Nobody on the team knew the stops well enough to have favourites, and the "
        "draw was done in front of the transport office.",
        "Each bench is a plank of hardwood on galvanised legs. A logger was glued to the underside "
        "of the plank, 30 cm from its western end, under a lid of cork. The loggers were "
        "calibrated together in a water bath before the deployment and again after it; the largest "
        "drift was 0.2 K. Bench temperature was recorded every 12 minutes. A weather station on "
        "the roof of the Norrey library supplied air temperature, wind and solar radiation.",
        "The slats are of larch, 20 mm thick and 70 mm wide, with gaps of 35 mm, and lie 120 mm "
        "above the roof so that air can pass. One set weighs 46 kg. Two people needed "
        "approximately three hours for each shelter, including the drive. The sails are of knitted "
        "polyethylene with a shade factor of 85 per cent. They took five hours each since the "
        "poles have to be set and the fabric tightened a second time after a week.",
        "A day counted as hot if the library recorded 28 \u00b0C or more at any time before six "
        "in the evening. There were 23 such days. For each shelter and hot day we took the average "
        "bench temperature from 13:00 to 17:00. Groups were compared with a mixed model in which "
        "shelter and day are random effects. Days on which a logger was missing were left out for "
        "that shelter only.",
        "We also counted passengers. On eight hot afternoons observers stood across the road "
        "at one shelter of each group, for two hours, and noted who sat, who stood inside, and who "
        "stood outside. They asked every third adult a single question: how warm do you feel, on a "
        "scale from one to seven? The answers of 212 people could be used. The observers wore "
        "plain clothes, and were told only that the study was about waiting.",
        "The ethics board of the university found that no approval was needed, as no names or "
        "pictures were taken. One shelter of the sail group was hit by a delivery van on "
        "19 July and dropped out from that day; the remaining five were kept.",
    )


def paper_table() -> Table:
    """Table 1, ruled the way journals do it."""
    rows = [
        ["Group", "Shelters", "Mean", "Max.", "Seated"],
        ["No change", "6", "44.7 \u00b0C", "56.1 \u00b0C", "31 %"],
        ["Sail", "6 (5)", "39.9 \u00b0C", "51.8 \u00b0C", "42 %"],
        ["Slats", "6", "37.3 \u00b0C", "46.4 \u00b0C", "49 %"],
    ]
    values = Table(rows, colWidths=[COLUMN * w for w in (0.24, 0.18, 0.2, 0.2, 0.18)])
    values.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, -1), "Times-Roman", 9.5, 12),
                ("FONT", (0, 0), (-1, 0), "Times-Bold", 9.5, 12),
                ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
                ("LINEBELOW", (0, 0), (-1, 0), 0.4, colors.black),
                ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
                ("TOPPADDING", (0, 0), (-1, -1), 1),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
            ]
        )
    )
    return values


def paper_results() -> list[Any]:
    """Results, with a table and a figure."""
    return paper_flow(
        "## 3 Results",
        "The three groups did not differ in the week before anything was installed: their means "
        "lay within 0.6 K of each other. On hot afternoons after the change they differed clearly. "
        "Table 1 gives the values and Figure 1 shows the course of one typical day.",
        paper_table(),
        "> <b>Table 1.</b> Bench temperature from 13:00 to 17:00 on the 23 hot days, and share of "
        "waiting passengers who sat down.",
        "Against the unchanged shelters, slats lowered the mean by 7.4 K (95 per cent interval 6.1 "
        "to 8.7) and sails by 4.8 K (3.3 to 6.3). The difference between the two designs, 2.6 K, "
        "was smaller but unlikely to be chance. It depended on the wind. Below 1.5 m/s the sails "
        "lost about half of their effect, while the slats lost almost nothing.",
        paper_figure(),
        "> <b>Figure 1.</b> Median bench temperature of each group on 11 July 2023.",
        "At night no group stood out. The unshaded benches were colder by 0.3 K at five in the "
        "morning, which is what one would expect of a surface with an open view of the sky "
        "through its roof.",
        "The share of passengers who sat down rose with both designs. What people said did not "
        "follow. The median answer was five in all three groups, and the model found no effect of "
        "shading on it at all. Two people remarked that the slats make a pleasant pattern. One "
        "resident wrote to the transport office that they are an invitation to pigeons; in all we "
        "counted three nests.",
        "## 4 Wear and upkeep",
        "By the end of September four of the five remaining sails had to be tightened at least "
        "twice, and two were torn along the seam after the storm of 5 August. None of the larch "
        "frames needed attention except for one loose screw. Maintenance took 1.1 hours for each "
        "frame and 6.5 hours for each sail over the period, most of it driving. Leaves collect "
        "between slats and roof, and a brush on a pole was enough to clear them.",
        "Both designs made the shelter darker. At noon the light on the bench fell to about a "
        "third, which is still ten times what is needed to read a timetable. In the evening, with "
        "the lamp of the shelter mounted below the roof, there was no difference.",
    )


def paper_figure() -> Drawing:
    """A small line chart of one day."""
    width, height = COLUMN, 165.0
    drawing = Drawing(width, height)
    left, bottom, right, top = 26.0, 20.0, width - 6, height - 6
    drawing.add(Rect(left, bottom, right - left, top - bottom, fillColor=None, strokeWidth=0.5))
    for degrees in (20, 30, 40, 50):
        y = bottom + (degrees - 15) / 40 * (top - bottom)
        drawing.add(Line(left - 3, y, left, y, strokeWidth=0.5))
        drawing.add(String(left - 16, y - 3, str(degrees), fontName="Times-Roman", fontSize=8))
    for hour in (6, 10, 14, 18, 22):
        x = left + (hour - 6) / 16 * (right - left)
        drawing.add(Line(x, bottom - 3, x, bottom, strokeWidth=0.5))
        drawing.add(String(x - 8, bottom - 12, f"{hour:02d} h", fontName="Times-Roman", fontSize=8))
    courses = {
        "none": [18, 24, 33, 42, 49, 48, 39, 30, 24],
        "sail": [18, 22, 29, 37, 43, 42, 36, 29, 24],
        "slats": [18, 21, 27, 33, 39, 39, 34, 28, 24],
    }
    for number, (name, course) in enumerate(courses.items()):
        points = [
            (left + i / 8 * (right - left), bottom + (value - 15) / 40 * (top - bottom))
            for i, value in enumerate(course)
        ]
        for (x1, y1), (x2, y2) in pairwise(points):
            drawing.add(Line(x1, y1, x2, y2, strokeWidth=1.6 - 0.5 * number))
        label_y = points[4][1] + (5 if number == 0 else -10)
        drawing.add(String(points[4][0] - 8, label_y, name, fontName="Times-Italic", fontSize=8))
    return drawing


def paper_closing() -> list[Any]:
    """Discussion and references."""
    return paper_flow(
        "## 5 Discussion",
        "A lattice of cheap timber lowered the temperature of a bus bench by as much as several "
        "coats of reflecting paint would have done in an earlier trial, and did so in one summer "
        "of ordinary vandalism. We think that ventilation explains the order of the two designs. "
        "The slats stop about two thirds of the direct sun, less than the sail does, but the air "
        "between them and the roof is free to leave. Below the sail it stays, warms up, and "
        "heats the polycarbonate from above. On windy days both designs do the same.",
        "That more people sat down although they did not report less discomfort is less odd than "
        "it seems. A scale from one to seven, asked at the kerb, measures the whole afternoon. A "
        "seat that does not burn is noticed by sitting on it, not by talking about it.",
        "The material for one set of slats cost 168 euro and that for one sail 240 euro, at the "
        "prices of spring 2023. The transport office has since ordered forty sets of slats for "
        "line 9. It did not order sails.",
        "## 6 Limits",
        "There were few shelters, one district, and one summer that was warm but not extreme. "
        "All loggers sat at the same end of the bench. We did not measure radiant temperature, "
        "which is closer to what a body feels, since the instruments would not have survived "
        "the first weekend. Observers could see which shelter they stood at. The counts of seated "
        "passengers come from eight afternoons and three stops, and should be read as a hint.",
        "We also cannot say how long larch will last. Untreated slats in the neighbouring town of "
        "Vell have been in place for nine years on a bicycle stand, in better air.",
        "## 7 Conclusion",
        "Where no tree can stand, a frame of slats on the roof is a cheap and dull way to make a "
        "bus bench usable on a hot afternoon. Leave a gap below it. Bring a brush in October.",
        "## Thanks",
        "> We thank the drivers of lines 4 and 9, the Norrey library for its roof, and P. Amundsen "
        "who glued all of the loggers. The work was paid for by the transport office of Norrey; it "
        "had no part in the analysis.",
        "## References",
        "> [1] H. Brandt and S. Okuda. Hot seats: bench temperature in a glazed bus shelter. "
        "Street and Climate 12 (2017), 44\u201352.",
        "> [2] R. Veldhuis. Six plank materials in full sun. Notes on Public Furniture 3 (2019), "
        "8\u201315.",
        "> [3] C. Imray and T. Solheim. White paint on small roofs, two years on. Journal of Minor "
        "Works 31 (2021), 201\u2013219.",
        "> [4] E. Nakagawa-Reyes. Who stands, who sits: counting at forty stops. Transport Yard 8 "
        "(2020), 77\u201390.",
    )


def paper() -> bytes:
    """The two-column paper."""
    title_style = ParagraphStyle(
        "paper-title", parent=PAPER_CENTRE, fontName="Times-Bold", fontSize=17, leading=21
    )
    story: list[Any] = [
        Paragraph(PAPER_TITLE, title_style),
        Spacer(1, 3 * mm),
        Paragraph(PAPER_AUTHORS, PAPER_CENTRE),
        Paragraph(f"<i>{PAPER_PLACE}</i>", PAPER_CENTRE),
        NextPageTemplate("later"),
        FrameBreak(),
        *paper_opening(),
        *paper_methods(),
        *paper_results(),
        *paper_closing(),
    ]
    left, right, bottom = MARGIN, MARGIN + COLUMN + COLUMN_GAP, 22 * mm
    head, tall = 38 * mm, HEIGHT - 42 * mm
    short = tall - head

    def column(x: float, height: float) -> Frame:
        return Frame(x, bottom, COLUMN, height, 0, 0, 0, 0)

    top = Frame(left, bottom + short, WIDTH - 2 * MARGIN, head, 0, 0, 0, 0)
    decorate = footer("Annals of Small Streets 6 (2024), 113\u2013115", 3)
    templates = [
        PageTemplate("first", [top, column(left, short), column(right, short)], onPage=decorate),
        PageTemplate("later", [column(left, tall), column(right, tall)], onPage=decorate),
    ]
    return build(story, templates, PAPER_TITLE, PAPER_AUTHORS)


# ---------------------------------------------------------------------------------------------
# scans/
# ---------------------------------------------------------------------------------------------

# Height on the page, size of the letters, text, amount.
RECEIPT = [
    (120, 54, "T. LOXLEY & SON", ""),
    (190, 34, "Chimney sweeps since 1961", ""),
    (240, 30, "Yard 2, Canal Side, Ludbury", ""),
    (360, 40, "RECEIPT  No. 00783", ""),
    (430, 32, "Date: 30 October 2024", ""),
    (480, 32, "Customer: Harwood, 14 Coppice Row, Flat 2", ""),
    (590, 32, "Sweeping one flue, living room", "58.00"),
    (640, 32, "Smoke test and certificate", "24.50"),
    (690, 32, "New cowl, stainless", "41.00"),
    (770, 36, "Total paid in cash", "123.50"),
    (890, 30, "Flue is sound. Bird guard fitted. Next visit due", ""),
    (935, 30, "before the heating season of 2025.", ""),
    (1080, 44, "Tom Loxley", ""),
]


def receipt_picture() -> Image.Image:
    """A receipt as a flatbed scanner sees it: grey, a little crooked, with specks."""
    picture = Image.new("L", (1000, 1414), 236)
    draw = ImageDraw.Draw(picture)
    for y, size, text, amount in RECEIPT:
        font = ImageFont.load_default(size)
        draw.text((110, y), text, fill=50, font=font)
        draw.text((880, y), amount, fill=50, font=font, anchor="ra")
    for y in (330, 560, 745, 840):
        draw.line((110, y, 890, y), fill=90, width=3)
    dice = random.Random(61)
    for _ in range(400):
        x, y = dice.randrange(1000), dice.randrange(1414)
        draw.point((x, y), fill=dice.randrange(90, 200))
    picture = picture.rotate(-0.9, Image.Resampling.BICUBIC, fillcolor=210)
    picture = picture.filter(ImageFilter.GaussianBlur(0.7))
    return picture.point([level // 16 * 17 for level in range(256)])


def scanned_receipt() -> bytes:
    """One page with nothing but a picture on it."""
    out = BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle("Scan_2024-11-02_0007")
    canvas.drawImage(ImageReader(receipt_picture()), 0, 0, WIDTH, HEIGHT)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def truncated_bill() -> bytes:
    """A council tax bill of which only the first part of the bytes has arrived."""
    story = flow(
        "# Council Tax 2024/25",
        "Ludbury Borough Council, Revenues Office",
        table([["Band", "Amount"], ["B", "see overleaf"]], [60, 60]),
        "Please quote your account number whenever you write to us.",
    )
    whole = build(
        story, [one_column(footer("Ludbury Borough Council", 1))], "Council Tax", "Revenues"
    )
    return whole[: int(len(whole) * TRUNCATE_AT)]


# ---------------------------------------------------------------------------------------------

DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "home/home-insurance.pdf": home_insurance,
    "bike/varda-c7-manual.pdf": bike_manual,
    "papers/bus-shelter-shading.pdf": paper,
    "scans/chimney-sweep-receipt.pdf": scanned_receipt,
    "scans/council-tax-2024.pdf": truncated_bill,
}


def write_all(directory: Path) -> list[Path]:
    """Write every document below *directory* and return the paths."""
    written = []
    for name, make in DOCUMENTS.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())
        written.append(path)
    return written


def main(arguments: list[str]) -> int:
    """Write the PDFs and say which."""
    if len(arguments) > 1:
        print("usage: python tests/support/sample_pdfs.py [OUTPUT_DIR]", file=sys.stderr)
        return 2
    default = Path(__file__).resolve().parent.parent.parent / "sample_corpus"
    for path in write_all(Path(arguments[0]) if arguments else default):
        print(f"{path} ({path.stat().st_size} bytes)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

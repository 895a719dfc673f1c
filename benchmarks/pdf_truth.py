"""PDF files of which the text is known: drawn by Chromium, LaTeX and reportlab from seeded words.

Papers in two columns with title and abstract across them, in eight languages; lines that mix
scripts; footnotes; books with heads that change; pieces drawn in any order. Called by pdf_order.py,
which reads them again. What is not installed is left out and said.
"""

from __future__ import annotations

import html
import io
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WORDS = {
    "en": "the harbour office keeps every letter that a captain wrote about wind and cargo "
    "because later readers find efficient reflections of daily conflict in plain "
    "figures while offers from many ports differ between winter months and the "
    "affable clerks who count them",
    "de": "die Verwaltung des Hafens bewahrt jeden Brief auf den ein Kapitän über Wetter "
    "und Ladung geschrieben hat weil spätere Leserinnen darin große Veränderungen "
    "finden und Gebühren zwischen den Monaten unterschiedlich ausfallen",
    "ru": "управление порта хранит каждое письмо которое капитан написал о погоде и грузе "
    "потому что поздние читатели находят в нём следы больших перемен между зимними "
    "месяцами",
    "ar": "تحفظ إدارة الميناء كل رسالة كتبها القبطان عن الرياح والبضائع لأن القراء يجدون "
    "فيها صورة من الحياة اليومية وتختلف الرسوم بين أشهر الشتاء والصيف في المدينة "
    "القديمة",
    "he": "הנהלת הנמל שומרת כל מכתב שכתב רב החובל על הרוח ועל המטען כי הקוראים מוצאים בו "
    "תמונה של חיי היום והתשלומים שונים בין חודשי החורף לבין הקיץ בעיר העתיקה",
    "zh": "港口 管理 办公室 保存 船长 写 下 的 每 一 封 信 因为 读者 在 其中 发现 日常 "
    "生活 的 变化 费用 随着 冬季 月份 而 不同",
    "ja": "港 の 事務所 は 船長 が 書いた 手紙 を すべて 保管 して いる なぜなら 読者 が "
    "日々 の 変化 を 見つける から で 料金 は 冬 の 月 に よって 異なる",
    "ko": "항구 사무소는 선장이 바람과 화물에 대해 쓴 모든 편지를 보관하고 독자들은 그 "
    "안에서 일상의 변화를 발견하며 요금은 겨울 동안 달마다 다르다",
}
LATIN = ("Linux kernel", "Microsoft Word", "iPhone 12", "OpenOffice", "Python", "New York Times")
SPACELESS = ("zh", "ja")
FROM_RIGHT = ("ar", "he")


@dataclass(frozen=True)
class Known:
    """A PDF with its text in reading order, and the heads and feet that are not of it."""

    name: str
    content: bytes
    text: str
    heads: tuple[str, ...] = ()


class Writer:
    """Sentences of one language, the same for one seed."""

    def __init__(self, language: str, seed: int, mixed: bool = False) -> None:
        self._chance = random.Random(f"{language} {seed}")
        self._words = WORDS[language].split()
        self._language = language
        self._mixed = mixed

    def words(self, number: int) -> str:
        """So many words without an end; other scripts among them where that is asked for."""
        words = [self._chance.choice(self._words) for _ in range(number)]
        if self._mixed:
            words[number // 2] = self._chance.choice(LATIN)
            words[-2] = self._chance.choice(
                (f"({self._chance.choice(LATIN)})", "2021", "1,250", "12.5", "(2019)")
            )
        return ("" if self._language in SPACELESS else " ").join(words)

    def sentence(self) -> str:
        """A sentence of 8 to 16 words."""
        text = self.words(self._chance.randint(8, 16))
        return f"{text[0].upper()}{text[1:]}{'。' if self._language in SPACELESS else '.'}"

    def paragraph(self, sentences: int) -> str:
        """So many sentences."""
        space = "" if self._language in SPACELESS else " "
        return space.join(self.sentence() for _ in range(sentences))


# --- Chromium -----------------------------------------------------------------------------------

_STYLE = """
@page { size: A4; margin: 2.2cm 2cm;
  @top-center { content: "%(head)s"; font-size: 9pt }
  @bottom-center { content: counter(page); font-size: 9pt } }
@page :left { @top-center { content: "%(even)s" } }
body { font: 10.5pt/1.35 "Liberation Serif", "Noto Naskh Arabic", "Noto Serif Hebrew",
  "Noto Serif CJK SC", serif; margin: 0 }
h1, .by { text-align: center } p { margin: 0 0 .6em; text-align: justify }
.two { columns: 2; column-gap: 8mm } .three { columns: 3; column-gap: 6mm }
.abstract { margin: 0 1cm 1em } sup { font-size: 65%%; line-height: 0 }
.page { position: relative; height: 24.5cm; break-after: page }
.notes { position: absolute; bottom: 0; left: 0; right: 0; font-size: 80%%;
  border-top: 1px solid }
.late { position: absolute; top: 0; left: 0; right: 0 }
"""


def _printed(body: str, language: str, heads: tuple[str, str] = ("", "")) -> bytes:
    """An HTML page as Chromium prints it."""
    direction = "rtl" if language in FROM_RIGHT else "ltr"
    style = _STYLE % {"head": heads[0], "even": heads[1]}
    page = (
        f'<!doctype html><html lang="{language}" dir="{direction}"><meta charset="utf-8">'
        f"<style>{style}</style><body>{body}"
    )
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.html", Path(folder) / "a.pdf"
        source.write_text(page, "utf-8")
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-sync"]
        command += [f"--user-data-dir={folder}/user", "--no-pdf-header-footer"]
        command += [f"--print-to-pdf={target}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return target.read_bytes()


def _element(tag: str, texts: list[str]) -> str:
    return "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts)


def paper(language: str, seed: int, columns: str = "two", late: bool = False) -> Known:
    """A title, an author and an abstract over columns, drawn before them or, if `late`, after."""
    write = Writer(language, seed)
    title, author, abstract = write.words(6), write.words(2), write.paragraph(4)
    texts = [write.paragraph(5) for _ in range(6 if late else 40)]
    heads = (write.words(4), write.words(3))
    top = f"<h1>{title}</h1><div class=by>{author}</div><p class=abstract>{abstract}</p>"
    flow = f"<div class={columns}>{_element('p', texts)}</div>"
    if late:
        flow = f'<div style="height:7cm"></div>{flow}<div class=late>{top}</div>'
    else:
        flow = top + flow
    name = f"{language} {columns} columns{', title drawn last' if late else ''}"
    text = "\n".join([title, author, abstract, *texts])
    return Known(name, _printed(flow, language, heads), text, heads)


def mixed(language: str, seed: int) -> Known:
    """Paragraphs with words of another script in their lines."""
    write = Writer(language, seed, mixed=True)
    texts = [write.paragraph(4) for _ in range(8)]
    return Known(
        f"{language} with Latin words", _printed(_element("p", texts), language), "\n".join(texts)
    )


def noted(language: str, seed: int) -> Known:
    """Pages with footnotes, which stand at the foot of their page."""
    write = Writer(language, seed)
    pages, text, number = [], [], 0
    for _ in range(3):
        body, notes, below = [], [], []
        for _ in range(4):
            number += 1
            before, after, note = write.paragraph(3), write.paragraph(2), write.sentence()
            body.append(f"<p>{before}<sup>{number}</sup> {after}</p>")
            notes.append(f"<div><sup>{number}</sup>{note}</div>")
            space = "" if language in SPACELESS else " "
            text.append(f"{before}{number}{space}{after}")
            below.append(f"{number}{note}")
        text += below
        pages.append(
            f"<div class=page>{''.join(body)}<div class=notes>{''.join(notes)}</div></div>"
        )
    return Known(f"{language} footnotes", _printed("".join(pages), language), "\n".join(text))


def table(language: str, seed: int) -> Known:
    """A table of which each row is a line."""
    write = Writer(language, seed)
    chance = random.Random(seed)
    rows = [
        [write.words(2), *(f"{chance.randint(100, 9999):,}" for _ in range(3))] for _ in range(25)
    ]
    lead = write.paragraph(3)
    body = "".join(f"<tr>{_element('td', row)}</tr>" for row in rows)
    text = "\n".join([lead, *(" ".join(row) for row in rows)])
    page = f'<p>{lead}</p><table style="width:100%">{body}</table>'
    return Known(f"{language} table", _printed(page, language), text)


# --- LaTeX --------------------------------------------------------------------------------------


def _set(source: str) -> bytes:
    """What LaTeX makes of a source."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.tex").write_text(source, "utf-8")
        for _ in range(2):
            command = ["pdflatex", "-interaction=batchmode", "a.tex"]
            subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=120)
        return (Path(folder) / "a.pdf").read_bytes()


def article(language: str, seed: int) -> Known:
    """Two columns with hyphens and ligatures."""
    write = Writer(language, seed)
    title, author, abstract = write.words(5), write.words(2), write.paragraph(3)
    source, text = [], [title, author, abstract]
    for _ in range(12):
        source.append(write.paragraph(5))
        text.append(source[-1])
    body = "\n\n".join(source)
    content = _set(
        "\\documentclass[twocolumn]{article}\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\n"
        f"\\title{{{title}}}\\author{{{author}}}\\date{{}}\\begin{{document}}\n"
        f"\\twocolumn[\\maketitle\\begin{{center}}{abstract}\\end{{center}}\\bigskip]\n"
        f"{body}\\end{{document}}"
    )
    return Known(f"{language} article by LaTeX", content, "\n".join(text))


def book(language: str, seed: int) -> Known:
    """Chapters whose titles are heads of odd pages; the book's is that of even ones."""
    write = Writer(language, seed)
    name = write.words(4)
    source, text, heads = [], [], [name]
    for number in range(1, 5):
        title, texts = write.words(3), [write.paragraph(6) for _ in range(22)]
        source += [f"\\newpage\\section{{{title}}}\\markboth{{{name}}}{{{title}}}", *texts]
        text += [f"{number} {title}", *texts]
        heads.append(title)
    content = _set(
        "\\documentclass[twoside,a5paper]{article}\\usepackage[utf8]{inputenc}\n"
        "\\usepackage[T1]{fontenc}\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}\n"
        "\\renewcommand{\\sectionmark}[1]{}\\fancyhead[LE,RO]{\\thepage}\n"
        "\\fancyhead[RE]{\\leftmark}\\fancyhead[LO]{\\rightmark}\\begin{document}\n"
        + "\n\n".join(source)
        + "\\end{document}"
    )
    return Known(f"{language} book by LaTeX", content, "\n".join(text), tuple(heads))


# --- Pieces in any order ------------------------------------------------------------------------


def shuffled(seed: int) -> Known:
    """A page in two columns whose title, abstract and columns are drawn in any order."""
    write = Writer("en", seed)
    pieces: list[list[tuple[float, float, str]]] = []
    for x, y, lines, words in (
        (72, 780, 1, 11),
        (72, 750, 4, 13),
        (72, 680, 42, 6),
        (312, 680, 42, 6),
    ):
        pieces.append([(x, y - 14 * n, write.words(words)) for n in range(lines)])
    text = "\n".join(line for piece in pieces for _, _, line in piece)
    random.Random(seed).shuffle(pieces)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    for piece in pieces:
        for x, y, line in piece:
            canvas.setFont("Helvetica", 9)
            canvas.drawString(x, y, line)
    canvas.save()
    return Known(f"pieces in any order, seed {seed}", buffer.getvalue(), text)


def known_files(seed: int) -> Iterator[Known]:
    """All of them; says what cannot be made here."""
    for number in range(4):
        yield shuffled(seed + number)
    makers: dict[str, list[Callable[[], Known]]] = {
        "chromium": [
            *(lambda each=each: paper(each, seed) for each in WORDS),
            *(lambda each=each: paper(each, seed, late=True) for each in ("en", "zh", "ar")),
            lambda: paper("en", seed, "three"),
            *(lambda each=each: mixed(each, seed) for each in FROM_RIGHT),
            *(lambda each=each: noted(each, seed) for each in ("en", "zh", "ar", "ru")),
            *(lambda each=each: table(each, seed) for each in ("en", "ar")),
        ],
        "pdflatex": [
            *(lambda each=each: article(each, seed) for each in ("en", "de")),
            *(lambda each=each: book(each, seed) for each in ("en", "de")),
        ],
    }
    for program, files in makers.items():
        if shutil.which(program) is None:
            print(f"skipped: {program} is not installed")
            continue
        for make in files:
            yield make()

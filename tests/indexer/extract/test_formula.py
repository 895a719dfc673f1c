"""A formula on one line says what its page says."""

import pytest
from lxml import etree

from indexer.extract.text.formula import formula_text

NAMESPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
N = "<m:naryPr><m:chr m:val='∑'/></m:naryPr>"


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, *inner: str) -> str:
    return f"<m:{name}>{''.join(inner)}</m:{name}>"


def e(*inner: str) -> str:
    return part("e", *inner)


def fence(*parts: str, begin: str = "(", end: str = ")") -> str:
    about = f"<m:dPr><m:begChr m:val='{begin}'/><m:endChr m:val='{end}'/></m:dPr>"
    return part("d", about, *map(e, parts))


def power(base: str, exponent: str) -> str:
    return part("sSup", e(base), part("sup", exponent))


def fraction(above: str, below: str, kind: str = "bar") -> str:
    about = f"<m:fPr><m:type m:val='{kind}'/></m:fPr>"
    return part("f", about, part("num", above), part("den", below))


def matrix(*rows: str) -> str:
    return part("m", *(part("mr", *(e(r(cell)) for cell in row.split())) for row in rows))


LIMIT = part("limLow", e(r("lim")), part("lim", r("n→∞")))
OF_WORD = [
    (power(fence(r("1+x")), r("n+1")), "(1+x)^(n+1)"),
    (power(r("x"), r("2")) + r("+1"), "x^2+1"),
    (fraction(r("a+b"), r("2a")), "(a+b)/(2a)"),
    (fence(fraction(r("n"), r("k"), "noBar")), "binom(n, k)"),
    (part("sSubSup", e(r("x")), part("sub", r("i+1")), part("sup", r("2"))), "x_(i+1)^2"),
    (part("nary", N, part("sub", r("k=0")), part("sup", r("n")), e(r("k"))), "∑_(k=0)^n k"),
    (part("rad", part("deg"), e(r("x+1"))), "√(x+1)"),
    (matrix("1 0", "0 1"), "[1, 0; 0, 1]"),
    (fence(part("eqArr", e(r("x,&amp; x>0")), e(r("0"))), begin="{", end=""), "{x, x>0; 0"),
    (part("func", part("fName", LIMIT), e(r("a"))), "lim_(n→∞) a"),
]
OF_PAGES = [
    ("<msup><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow><mi>n</mi></msup>", "(x)^n"),
    ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a+b)/2"),
    ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "binom(n, k)"),
    ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>x</mi>", "∑_i^n x"),
    ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x+1)"),
    ("<mroot><mi>x</mi><mn>3</mn></mroot>", "√[3]x"),
    ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>", "[1, 0]"),
    ("<semantics><mrow><mi>E</mi></mrow><annotation>E</annotation></semantics>", "E"),
    ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
    ("<mi>x</mi><mtext>if</mtext><mi>y</mi>", "x if y"),
]


@pytest.mark.parametrize(
    ("formula", "text"),
    [(f"<m:oMath {NAMESPACE}>{formula}</m:oMath>", text) for formula, text in OF_WORD]
    + [(f"<math>{formula}</math>", text) for formula, text in OF_PAGES],
)
def test_a_formula_keeps_brackets_powers_sums_and_rows(formula, text):
    assert formula_text(etree.fromstring(formula)) == text

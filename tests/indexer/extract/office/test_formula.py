"""A formula on one line says what its page says."""

import pytest
from lxml import etree

from indexer.extract.office.formula import math_formula, office_formula

NAMESPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
N = "<m:naryPr><m:chr m:val='∑'/></m:naryPr>"


def r(text: str) -> str:
    return f"<m:r><m:t xml:space='preserve'>{text}</m:t></m:r>"


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


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (power(fence(r("1+x")), r("n")), "(1+x)^n"),
        (power(part("d", e(r("1+x"))), r("n+1")), "(1+x)^(n+1)"),
        (power(r("x"), r("2")) + r("+1"), "x^2+1"),
        (power(fraction(r("a"), r("b")), r("2")), "(a/b)^2"),
        (power(power(r("x"), r("2")), r("3")), "(x^2)^3"),
        (fraction(r("a+b"), r("c")), "(a+b)/c"),
        (fraction(r("1"), r("2a")), "1/(2a)"),
        (fraction(r("Miete"), r("12")), "Miete/12"),
        (fence(fraction(r("n"), r("k"), "noBar")), "binom(n, k)"),
        (part("sSub", e(r("x")), part("sub", r("i+1"))), "x_(i+1)"),
        (part("sSubSup", e(r("x")), part("sub", r("1")), part("sup", r("2"))), "x_1^2"),
        (part("sPre", part("sub", r("6")), part("sup", r("14")), e(r("C"))), "_6^14 C"),
        (
            part("nary", N, part("sub", r("k=0")), part("sup", r("n")), e(r("k+1"))) + r("=7"),
            "∑_(k=0)^n (k+1)=7",
        ),
        (part("nary", part("sub", r("0")), part("sup", r("1")), e(r("f(x) dx"))), "∫_0^1 f(x) dx"),
        (
            part("nary", "<m:naryPr><m:subHide m:val='1'/><m:supHide/></m:naryPr>", e(r("f"))),
            "∫ f",
        ),
        (
            part("rad", "<m:radPr><m:degHide m:val='1'/></m:radPr>", part("deg"), e(r("x+1"))),
            "√(x+1)",
        ),
        (part("rad", part("deg", r("3")), e(r("x"))), "√[3]x"),
        (matrix("1 0", "0 1"), "[1, 0; 0, 1]"),
        (fence(matrix("a b", "c d"), begin="|", end="|"), "|a, b; c, d|"),
        (
            fence(part("eqArr", e(r("x,&amp;  x>0")), e(r("0,&amp; x≤0"))), begin="{", end=""),
            "{x,  x>0; 0, x≤0",
        ),
        (fence(r("a"), r("b"), begin="[", end="["), "[a|b["),
        (
            part(
                "func", part("fName", part("limLow", e(r("lim")), part("lim", r("n→∞")))), e(r("a"))
            ),
            "lim_(n→∞) a",
        ),
        (part("func", part("fName", r("sin")), e(r("a+b"))), "sin(a+b)"),
        (part("func", part("fName", r("ln")), e(fence(r("x")))), "ln(x)"),
        (part("acc", e(r("x"))), "x\u0302"),
        (part("bar", "<m:barPr><m:pos m:val='top'/></m:barPr>", e(r("AB"))), "(AB)\u0304"),
        (part("borderBox", e(r("E=m") + power(r("c"), r("2")))), "E=mc^2"),
        (r("f\u2061(x)"), "f(x)"),
    ],
)
def test_a_formula_of_word_keeps_brackets_powers_sums_and_rows(formula, text):
    element = etree.fromstring(f"<m:oMath {NAMESPACE}>{formula}</m:oMath>")
    assert office_formula(element) == text


def mathml(text: str) -> str:
    return math_formula(etree.fromstring(f"<math>{text}</math>"))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            "<msup><mrow><mo>(</mo><mn>1</mn><mo>+</mo><mi>x</mi><mo>)</mo></mrow><mi>n</mi></msup>",
            "(1+x)^n",
        ),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a+b)/2"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "binom(n, k)"),
        (
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
                "</munderover><msub><mi>x</mi><mi>i</mi></msub>"
            ),
            "∑_(i=1)^n x_i",
        ),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x+1)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "√[3]x"),
        (
            (
                "<mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr>"
                "<mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo></mrow>"
            ),
            "(1, 0; 0, 1)",
        ),
        ("<mover accent='true'><mi>x</mi><mo>¯</mo></mover>", "x\u0304"),
        ("<semantics><mrow><mi>E</mi></mrow><annotation>E</annotation></semantics>", "E"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mi>x</mi><mtext>if</mtext><mi>y</mi>", "x if y"),
    ],
)
def test_mathml_is_written_in_the_same_way(formula, text):
    assert mathml(formula) == text


def test_a_formula_of_any_depth_is_read():
    deep = "<m:sSup><m:e>" * 120 + r("x") + "</m:e><m:sup/></m:sSup>" * 120
    element = etree.fromstring(f"<m:oMath {NAMESPACE}>{deep}</m:oMath>")
    assert "x" in office_formula(element)

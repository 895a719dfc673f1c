"""A formula on one line says what its page says."""

import re

from lxml import etree

from indexer.extract.text.formula import formula_text

NAMESPACE = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def of_word(formula: str) -> str:
    """OMML from tags without their letter, in which {a+b} is a run."""
    runs = formula.replace("{", "<r><t>").replace("}", "</t></r>")
    named = re.sub("<(/?)", r"<\1m:", runs)
    return f"<m:oMath {NAMESPACE}>{named}</m:oMath>"


OF_WORD = {
    "<sSup><e><d><e>{1+x}</e></d></e><sup>{n+1}</sup></sSup>": "(1+x)^(n+1)",
    "<f><num>{a+b}</num><den>{2a}</den></f>": "(a+b)/(2a)",
    "<f><fPr><type m:val='noBar'/></fPr><num>{n}</num><den>{k}</den></f>": "binom(n, k)",
    "<sSubSup><e>{x}</e><sub>{i+1}</sub><sup>{2}</sup></sSubSup>": "x_(i+1)^2",
    "<nary><naryPr><chr m:val='∑'/></naryPr><sub>{k=0}</sub><sup>{n}</sup><e>{k}</e></nary>": (
        "∑_(k=0)^n k"
    ),
    "<rad><deg/><e>{x+1}</e></rad>": "√(x+1)",
    "<m><mr><e>{1}</e><e>{0}</e></mr><mr><e>{0}</e><e>{1}</e></mr></m>": "[1, 0; 0, 1]",
    "<func><fName><limLow><e>{lim}</e><lim>{n→∞}</lim></limLow></fName><e>{a}</e></func>": (
        "lim_(n→∞) a"
    ),
}
OF_PAGES = {
    "<msup><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow><mi>n</mi></msup>": "(x)^n",
    "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>": "(a+b)/2",
    "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>x</mi>": "∑_i^n x",
    "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>": "√(x+1)",
    "<mroot><mi>x</mi><mn>3</mn></mroot>": "√[3]x",
    "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>": "[1, 0]",
    "<semantics><mrow><mi>E</mi></mrow><annotation>E</annotation></semantics>": "E",
    "<mfenced><mi>a</mi><mi>b</mi></mfenced>": "(a, b)",
    "<mi>x</mi><mtext>if</mtext><mi>y</mi>": "x if y",
}


def test_a_formula_keeps_brackets_powers_sums_and_rows():
    wanted = {of_word(formula): text for formula, text in OF_WORD.items()}
    wanted |= {f"<math>{formula}</math>": text for formula, text in OF_PAGES.items()}
    found = {formula: formula_text(etree.fromstring(formula)) for formula in wanted}
    assert found == wanted

"""What a reader of a web page came for, and what is only there for browsers."""

from indexer.extract import markdown
from indexer.extract.html import html_text


def text_of(body: str) -> str:
    return html_text(f"<html><body>{body}</body></html>")[1]


PROSE = "The ferry leaves at nine, in winter at ten, and never on the first day of a month. "


PIECES = (
    "<span aria-hidden='true'>→</span>",
    "<a class=anchor aria-hidden=true href='#x'>#</a>",
    "<span style='display: none'>1975</span>",
    "<button>Copy</button>",
    "<label role=menu>154 languages</label>",
)


def test_what_is_hidden_or_a_button_within_a_line_leaves_the_line_whole():
    for piece in PIECES:
        assert text_of(f"<p>{PROSE} See {piece}the fares.</p>") == f"{PROSE}See the fares."
        assert text_of(f"<h2>Fares{piece}</h2><p>{PROSE}") == f"## Fares\n\n{PROSE.strip()}"


def test_a_footer_belongs_to_the_article_that_it_stands_in():
    for tag in ("footer", "div role=contentinfo", "div role=banner"):
        inner = f"<{tag}>by Ana</{tag.split()[0]}>"
        for around in ("article", "main", "div role=main", "blockquote"):
            page = f"<{around}><p>{PROSE}</p>{inner}</{around.split()[0]}>"
            assert "by Ana" in text_of(page), (tag, around)
        assert "by Ana" not in text_of(f"<div><p>{PROSE}</p>{inner}</div>")


def test_links_that_lead_out_are_listed_once_behind_the_text():
    page = text_of(
        "<p>See <a href='https://example.org/x'>the <b>fares</b></a>, <a href='#top'>top</a>, "
        "<a href='/home'>home</a>, <a href='https://example.org/x'>again</a>, "
        "<a href='javascript:go()'>go</a> and <a href='https://example.org/y'>example.org/y</a>.</p>"
        "<p><a href='mailto:ana@example.org'>Ana</a></p>"
        "<nav><a href='https://example.org/menu'>menu</a></nav>"
    )
    assert page == (
        "See the fares, top, home, again, go and example.org/y.\n\nAna\n\n"
        "Links:\n- [the fares](https://example.org/x)\n- [Ana](mailto:ana@example.org)"
    )


def test_links_are_listed_up_to_the_most_and_up_to_a_length():
    long = "https://example.org/" + "x" * (markdown.MAX_ADDRESS - 20)
    assert markdown.links([("a", long)]) == f"Links:\n- [a]({long})"
    assert markdown.links([("a", long + "x")]) == ""
    many = [("a", f"https://example.org/{number}") for number in range(markdown.MAX_LINKS + 1)]
    assert markdown.links(many) == markdown.links(many[:-1])
    assert len(markdown.links(many).splitlines()) == markdown.MAX_LINKS + 1


CARELESS = {
    "<head><title/><script src='x'/></head><p>one</p>": "one",
    "<p>a<a id='x'/>b</p><p/>c": "ab\n\nc",
    "<ul><li/><li>x</ul><table><tr><td/><td>two": "- x\n\ntwo",
    "<b>1<p>2</b>3</p>4": "1\n\n23\n\n4",
    "<p>x<![if !vml]>y<![endif]>z": "xyz",
    "<html xml:lang='a'><style>u+b{color:red}</style><p>a<o:p v:x='1'>b</o:p><b>c": "abc",
    "<!-- x -->": "",
    "<ul><li><input type=checkbox checked>x<li><input type=CheckBox>y": "- [x] x\n- [ ] y",
    "<p>a\0b\ud800c": "a\ufffdb?c",
}


def test_tags_that_xml_office_and_carelessness_write_are_read_as_a_browser_would():
    assert {page: html_text(page)[1] for page in CARELESS} == CARELESS


def test_what_is_struck_out_is_told_apart_and_what_was_added_is_text():
    page = text_of("<p>Rent <del>900</del> <ins>950</ins>, <s>free</s> <u>now</u>")
    assert page == "Rent ~~900~~ 950, ~~free~~ now"
    styled = text_of("<p>was <span style='text-decoration: line-through'>80 € </span>60 €")
    assert styled == "was ~~80 €~~ 60 €"
    assert text_of("<del><p>one<p>two</del>") == "~~one~~\n\n~~two~~"


def test_a_formula_of_a_page_keeps_its_brackets_and_powers():
    formula = (
        "<math><msup><mrow><mo>(</mo><mn>1</mn><mo>+</mo><mi>x</mi><mo>)</mo></mrow><mi>n</mi>"
        "</msup><mo>=</mo><mfrac><mn>1</mn><mi>x</mi></mfrac></math>"
    )
    assert text_of(f"<p>Let {formula} be <b>given</b>.") == "Let (1+x)^n=1/x be given."
    assert text_of("<p>Let <math><mi>a</mi><mo>+") == "Let a+"  # cut
    assert text_of("<p>a<math/>b<!-- <math> -->c") == "abc"
    deep = "<math>" + "<mrow>" * 999 + "<mi>x</mi>" + "</mrow>" * 999 + "</math>"
    assert text_of(f"<p>Let {deep} be given.") == "Let x be given."

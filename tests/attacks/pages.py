"""Strings that a document or a model may write, to get at the pages of `web`."""

# What a model may write that is no plain text: mark-up, links, escapes of a terminal, directions.
NASTY = (
    '<img src="http://127.0.0.1:9/out" onerror="alert(1)"><script>alert(2)</script> due on day 3',
    "[here](http://127.0.0.1:9/a?q=rent) and ![x](http://127.0.0.1:9/b.png) on the 3rd day",
    '</p></div></article><form action="http://127.0.0.1:9/"><button>Go on</button></form> rent',
    "\x1b]8;;http://127.0.0.1:9/\x07the rent\x1b]8;;\x07 \x1b[2J\x1b]52;c;cm0=\x07 is due",
    "The rent\u202e yad dr3 eht no \u2066is due\u2069 \u200b\u200e\U000e0041\U000e0042 then",
    "javascript:alert(3) data:text/html,<b>x</b> //127.0.0.1:9/ {{ 7*7 }} {% raw %} due &lt;b&gt;",
    '" autofocus onfocus="alert(4)" x="<svg/onload=alert(5)><iframe srcdoc="<p>x">the rent is due',
)
# Of it what no page may hold: controls, directions, what has no width, tags.
UNSEEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)

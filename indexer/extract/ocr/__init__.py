"""Text recognition: pictures of pages -> lines with a confidence.

`pictures` renders pages, also for who looks at them; `engine` recognises them and `reading_order`
puts pieces into lines in the process of `indexer.parsers.recognising` alone. Extra: `[ocr]`.
"""

from typing import NamedTuple

UNREADABLE = "(unreadable line)"


class PlacedText(NamedTuple):
    """A word, the number of its line among those of its page, and its box.

    Left, top, right and bottom are shares of the page as it is shown.
    """

    line: int
    left: float
    top: float
    right: float
    bottom: float
    text: str

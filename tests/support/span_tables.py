"""Sixty tables with merged cells, and the grid that a browser made of each.

The tables are made from seeds; what Chromium shows of them is `tests/snapshots/span_tables.json`. A
cell of the truth is [row, first column, last column + 1, rows, text, header cell, number of the
table].
"""

from __future__ import annotations

import json
import random

from tests.support.places import TESTS

TRUTH = TESTS / "snapshots" / "span_tables.json"
COUNT = 60
NAMES = [
    *("Port", "Fare", "City", "Rent", "Fee", "Crew", "Depth"),
    *("Tide", "Berth", "Cargo", "Flag", "Draught", "Length", "Owner"),
]
ABSURD_ROWS, ABSURD_COLUMNS = 65534, 1000

STYLE = (
    "table{border-spacing:0} tr{height:20px} "
    "td,th{padding:1px;height:20px;min-width:30px;vertical-align:top}"
)


class _Maker:
    """One table from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.count = 0

    def text(self) -> str:
        self.count += 1
        return f"{self.random.choice('abcdefgh')}{self.seed}x{self.count}"

    def table(self, depth: int = 0) -> str:
        width = self.random.randint(2, 6)
        headed = self.random.random() < 0.85 or depth > 0
        head = self.header(width) if headed else ""
        groups = [self.body(width, depth) for _ in range(self.random.choice((1, 1, 2, 3)))]
        if self.random.random() < 0.5:
            groups = [f"<tbody>{group}</tbody>" for group in groups]
        pieces = ["".join(groups)]
        if head and self.random.random() < 0.6:
            place = self.random.choice((0, 0, 1))
            pieces.insert(place, f"<thead>{head}</thead>")
        elif head:
            pieces = [f"<tbody>{head}</tbody>" if "<tbody>" in pieces[0] else head, *pieces]
        if self.random.random() < 0.3:
            foot = f"<tfoot><tr>{''.join(f'<td>{self.text()}</td>' for _ in range(width))}</tfoot>"
            pieces.insert(self.random.randrange(1, len(pieces) + 1), foot)
        caption = f"<caption>Caption {self.text()}</caption>" if self.random.random() < 0.3 else ""
        return f"<table>{caption}{''.join(pieces)}</table>"

    def header(self, width: int) -> str:
        names = self.random.sample(NAMES, width)
        if self.random.random() < 0.5 or width < 4:
            return "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
        first = f"<th rowspan=2>{names[0]}</th>"
        middle = self.random.randint(2, width - 2)
        groups = [(2023, middle), (2024, width - 1 - middle)]
        above = "".join(f'<th colspan="{span}">{year}</th>' for year, span in groups)
        below = "".join(f"<th>{name}</th>" for name in names[1:])
        return f"<tr>{first}{above}</tr><tr>{below}</tr>"

    def body(self, width: int, depth: int) -> str:
        rows = []
        for _ in range(self.random.randint(2, 6)):
            cells, left = [], width
            while left > 0 and self.random.random() < 0.93:
                cell, span = self.cell(left, depth)
                cells.append(cell)
                left -= span
            closed = "</tr>" if self.random.random() < 0.7 else ""
            rows.append(f"<tr>{''.join(cells)}{closed}")
        if self.random.random() < 0.2:
            rows.insert(self.random.randrange(len(rows)), "<tr></tr>")
        return "".join(rows)

    def cell(self, left: int, depth: int) -> tuple[str, int]:
        chance = self.random.random()
        tag = "th" if left > 2 and chance > 0.97 else "td"
        attributes, span = "", 1
        if chance < 0.16:
            rows = self.random.choice((2, 2, 2, 3, 3, 4, 0, ABSURD_ROWS))
            attributes += f" rowspan={rows}"
        if 0.1 < chance < 0.26:
            span = self.random.choice((2, 2, 2, 2, 3, 3, ABSURD_COLUMNS, 0))
            attributes += f' colspan="{span}"'
            span = max(1, span)
        if 0.3 < chance < 0.33:
            return f"<td style='display: none'>{self.text()}</td>", 0
        if 0.33 < chance < 0.36:
            return f"<TD{attributes}></TD>", span
        inner = self.table(depth + 1) if 0.36 < chance < 0.38 and depth == 0 else ""
        closed = f"</{tag}>" if self.random.random() < 0.8 or inner else ""
        return f"<{tag}{attributes}>{self.text()}{inner}{closed}", span


def tables() -> list[str]:
    """The tables, as HTML."""
    return [_Maker(seed).table() for seed in range(COUNT)]


def page(table: str) -> str:
    return f"<!doctype html><html><head><style>{STYLE}</style></head><body>{table}</body></html>"


def truth() -> list[list[list[list[object]]]]:
    """The kept grids: of each of the sixty its own, then those of tables within it."""
    kept: list[list[list[list[object]]]] = json.loads(TRUTH.read_text("utf-8"))
    return kept

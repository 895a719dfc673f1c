"""What a command prints: data on stdout, as lines or one JSON object; all else on stderr."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus_agent import render
from corpus_agent.text.sanitize import visible

if TYPE_CHECKING:
    from indexer import Index


def clean(text: str) -> str:
    """`text` with terminal control characters made visible."""
    return visible(text)


def print_json(content: Mapping[str, object], corpus: Index | None = None) -> None:
    """Print one object, stamped with the state of the seal, and the stores if they are several."""
    launch = (click.get_current_context().obj or {}).get("launch")
    stamp = {"seal": launch.seal.state} if launch else {}
    if launch and launch.egress:
        stamp["egress"] = launch.egress
    stores = render.stores_read(corpus.stores) if corpus is not None else {}
    # JSON is UTF-8; a terminal of another encoding shows its escapes.
    encoding = getattr(sys.stdout, "encoding", None)  # there is no stream where it was closed
    utf8 = codecs.lookup(encoding or "utf-8").name == "utf-8"
    click.echo(json.dumps({**content, **stores, **stamp}, ensure_ascii=not utf8))


def print_each(
    found: Sequence[tuple[str, Mapping[str, object]]],
    lines: Sequence[Iterable[str]],
    *,
    as_json: bool,
) -> None:
    """Print what there is of each store by its name; of one without a name, that alone."""
    if as_json and found[0][0]:
        return print_json(render.as_object(stores=[{"name": n, **each} for n, each in found]))
    if as_json:
        return print_json(found[0][1])
    for at, ((name, _), own) in enumerate(zip(found, lines, strict=True)):
        print_lines([*[""] * bool(at), f"{name}:"] if name else [])
        print_lines(own)
    return None


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print each line; on stderr with `err`."""
    for line in lines:
        click.echo(line, err=err)


def print_notices(corpus: Index) -> None:
    """Say on stderr which version was asked for, and what was left out."""
    print_lines((f"Note: {clean(notice)}" for notice in corpus.notices), err=True)


def style(line: str, likely: bool) -> str:
    """A line of a passage at a terminal: bold if it is likely to answer, else dim."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return line
    return click.style(line, bold=likely or None, dim=not likely or None)


# ---- Links of a terminal to files

# Terminals that make a link of OSC 8; others show nothing of it, a few show its letters.
_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal"}
_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "FORCE_HYPERLINK")
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
LEAST_VTE = 5000  # of GNOME Terminal, Tilix and their kind


def has_links(environ: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether standard output is a terminal that is known to show links."""
    if not terminal or environ.get("TERM", "dumb") == "dumb" or "NO_HYPERLINK" in environ:
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM", "") in _PROGRAMS
        or any(environ.get(name) for name in _VARIABLES)
        or environ.get("TERM", "").startswith(_TERMS)
        or (vte.isdecimal() and int(vte) >= LEAST_VTE)
    )


def link_to(root: Path | None) -> render.Link:
    """What makes a link of a place in an output: plain text where the terminal has none."""
    terminal = sys.stdout is not None and sys.stdout.isatty()  # None where it was closed
    if root is None or not has_links(os.environ, terminal=terminal):
        return render.no_link
    return render.link_below(root)

"""Documents in programs of the user's: the command `open`, and links of a terminal to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from corpus_agent import render, service
from corpus_agent.cli.common import main, settings_in_force
from corpus_agent.cli.printing import clean
from corpus_agent.settings import stores_to_read
from corpus_agent.text.naming import called
from corpus_agent.trust.stores import place_of

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


@main.command(name="open")
@click.argument("place", metavar="SOURCE[:LINE]")
def open_document(place: str) -> None:
    """Open a document in a program of yours: PDF, pictures and Office files in their viewer.

    All else, web pages too, in the editor that VISUAL or EDITOR names, at LINE. What is not by its
    bytes what its name says is not opened.
    """
    settings = settings_in_force(several=True)
    stores = stores_to_read(settings)
    roots = {one.prefix: place_of(one.store, settings).root for one in stores}
    source, program = service.opening.open_document(place, roots)
    click.echo(f"Opened {called(source)} with {clean(program)}.", err=True)

"""Draws the picture of the README: what one command really prints, as an SVG.

Run it after a change of that output::

    python docs/images/render.py

`tests/test_docs.py` fails when the picture shows anything else than the command prints.
"""

from __future__ import annotations

import html
import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_name("certify.svg")
COMMAND = (
    "certify",
    "compas",
    "--depth",
    "2",
    "--group",
    "race",
    "--bias",
    'flip(0.5%, where race == "African-American" and label == 1)',
)
TYPED = "$ everytree {} {} {} {} {} {} \\\n    {} '{}'".format(*COMMAND)
WIDTH = 100
CHARACTER = 12.2
"""Width of a character in rich's pictures."""


def render() -> str:
    """Run the command on a screen that records, and draw it without fonts from elsewhere."""
    from everytree.cli import certify as certifying
    from everytree.cli import main

    screen = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False)
    screen.print(Text(TYPED, "bold"), end="\n\n")
    shown, certifying.console = certifying.console, lambda: screen
    try:
        code = main(list(COMMAND))
    finally:
        certifying.console = shown
    if code != 0:
        raise SystemExit(f"the command ended with code {code}")
    drawn = screen.export_svg(title="everytree", unique_id="everytree")
    drawn = re.sub(r"\s*@font-face \{.*?\}|\s*<!--.*?-->", "", drawn, flags=re.DOTALL)
    return re.sub(r'x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"([^>]*)>((?:&#160;)+)', _indent, drawn)


def _indent(found: re.Match[str]) -> str:
    """Begin a text where its first letter stands; some viewers drop leading spaces."""
    x, y, length, rest, spaces = found.groups()
    shift = CHARACTER * (len(spaces) // len("&#160;"))
    return f'x="{float(x) + shift:g}" y="{y}" textLength="{float(length) - shift:g}"{rest}>'


def words(svg: str) -> list[str]:
    """Everything that a picture says, in order."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    return [html.unescape(text).replace("\xa0", " ").strip() for text in texts]


if __name__ == "__main__":
    PICTURE.write_text(render(), encoding="utf-8")
    print(f"wrote {PICTURE.name}, {PICTURE.stat().st_size} bytes")

"""`everytree datasets`: what can be named in place of files."""

from __future__ import annotations

import os

from everytree.cli.screen import console, plain_table
from everytree.datasets import load, names, paper_names
from everytree.datasets.paper import FOLDER_VARIABLE

__all__ = ["run"]


def run() -> None:
    """List the bundled data sets, and the paper's tables where they can be found."""
    screen = console()
    table = plain_table(["name", "label", "groups", "training rows", "test rows", "columns"], numbers=3)
    for name in names():
        data = load(name)
        rows = (len(data.X_train), len(data.X_test), data.X_train.shape[1])
        table.add_row(name, data.label, ", ".join(data.sensitive), *map(str, rows))
    screen.print(table)
    screen.print()
    paper = ", ".join(f"paper:{name}" for name in paper_names())
    if os.environ.get(FOLDER_VARIABLE):
        screen.print(f"From the folder that {FOLDER_VARIABLE} names: {paper}.", soft_wrap=True)
    else:
        screen.print(
            f"Set {FOLDER_VARIABLE} to the folder of the paper's tables for {paper}.", soft_wrap=True
        )
    screen.print('Try: everytree certify compas --bias "flip(0.5%)" --depth 1 --group race', soft_wrap=True)

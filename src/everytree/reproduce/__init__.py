"""The tables of the paper, computed again and put beside the paper's own numbers.

On top of everything else: it loads data sets, certifies, and lays out what came of it. The paper's numbers
lie in ``paper_tables.csv`` beside this module; an empty one is a run that needed more than 96 GB.
"""

from __future__ import annotations

from everytree.reproduce.cells import Cell, paper_cells
from everytree.reproduce.layout import to_csv, to_markdown, to_text
from everytree.reproduce.runs import Outcome, Reproduction, Run, reproduce

__all__ = [
    "Cell",
    "Outcome",
    "Reproduction",
    "Run",
    "paper_cells",
    "reproduce",
    "to_csv",
    "to_markdown",
    "to_text",
]

"""The tables and the demographic figures of the paper, computed again beside the paper's own numbers.

On top of everything else: it loads data sets, certifies, and lays out what came of it. The paper's numbers
lie in ``paper_tables.csv`` (an empty one is a run that needed more than 96 GB) and ``paper_figures.csv``.
"""

from __future__ import annotations

from everytree.reproduce.cells import Cell, paper_cells
from everytree.reproduce.figure_layout import figure_to_csv, figure_to_markdown, figure_to_text
from everytree.reproduce.figures import FigureReproduction, Point, Share, reproduce_figure
from everytree.reproduce.layout import to_csv, to_markdown, to_text
from everytree.reproduce.panels import Panel, Stated, paper_panels, stated_shares
from everytree.reproduce.pictures import draw_panel
from everytree.reproduce.runs import CellOutcome, Reproduction, Run, reproduce

__all__ = [
    "Cell",
    "CellOutcome",
    "FigureReproduction",
    "Panel",
    "Point",
    "Reproduction",
    "Run",
    "Share",
    "Stated",
    "draw_panel",
    "figure_to_csv",
    "figure_to_markdown",
    "figure_to_text",
    "paper_cells",
    "paper_panels",
    "reproduce",
    "reproduce_figure",
    "stated_shares",
    "to_csv",
    "to_markdown",
    "to_text",
]

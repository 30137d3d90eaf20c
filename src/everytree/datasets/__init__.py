"""Tables to try everytree on: three that come with it, and loaders for the paper's own.

Above `everytree.table`, whose file reader it uses. `make` builds the bundled files from their
public source; `paper` reads the exact tables of the paper from a folder of the user's.
"""

from __future__ import annotations

from everytree.datasets.bundled import load, names
from everytree.datasets.dataset import Dataset
from everytree.datasets.paper import load_paper, paper_names

__all__ = ["Dataset", "load", "load_paper", "names", "paper_names"]

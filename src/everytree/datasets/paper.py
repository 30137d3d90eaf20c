"""The exact tables of the paper's experiments, from a folder of the user's.

The folder is named by the environment variable EVERYTREE_DATA; none of its files is part of everytree.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from everytree.datasets.dataset import Dataset
from everytree.errors import TableError
from everytree.support.text import listing, nearest
from everytree.table.reading import read_table, split_label

__all__ = ["FOLDER_VARIABLE", "load_paper", "paper_names"]

FOLDER_VARIABLE = "EVERYTREE_DATA"
BLACK_ABOVE = 128
"""Pixels above this grey become 1, all others 0."""

IMAGES = 100
"""How many test images of mnist17 are used unless told otherwise; the paper used as many."""


@dataclass(frozen=True)
class _PaperFacts:
    label: str
    sensitive: tuple[str, ...]
    ignored: tuple[str, ...]
    description: str
    licence: str


_FACTS = {
    "compas": _PaperFacts(
        "two_year_recidivism",
        ("african_american", "female"),
        ("score_factor",),
        "COMPAS, 4,629 training and 1,543 test rows, all columns as numbers.",
        "Published by ProPublica in its public repository compas-analysis; see there for its terms.",
    ),
    "drug": _PaperFacts(
        "drug_use",
        ("gender",),
        (),
        "UCI Drug Consumption, 1,262 training and 623 test rows. Gender is 0.48246 for women, -0.48246 "
        "for men.",
        "CC BY 4.0",
    ),
    "adult": _PaperFacts(
        "income",
        ("non_white", "female"),
        ("age_binary_old", "age_binary_young"),
        "UCI Adult, 32,561 training and 500 test rows; the paper's authors numbered the categories "
        "arbitrarily.",
        "CC BY 4.0",
    ),
    "mnist17": _PaperFacts(
        "digit",
        (),
        (),
        "MNIST, the digits 1 and 7 in black and white (grey above 128), 13,007 training images and the "
        "first 100 test images; the paper does not say which 100 it used.",
        "See the terms of MNIST.",
    ),
}


def paper_names() -> tuple[str, ...]:
    """Names of the paper's tables.

    Examples
    --------
    >>> paper_names()
    ('compas', 'drug', 'adult', 'mnist17')
    """
    return tuple(_FACTS)


def load_paper(name: str, *, test_rows: int | None = None) -> Dataset:
    """Load one of the paper's tables from the folder that EVERYTREE_DATA names.

    Parameters
    ----------
    name : {"compas", "drug", "adult", "mnist17"}
        Which one. Columns that the paper's learner ignores are taken out.
    test_rows : int, optional
        Keep only the first so many test rows. Default: all, and 100 for mnist17.

    Returns
    -------
    Dataset

    Raises
    ------
    TableError
        If there is no such table, the variable is not set, or a file is missing.
    """
    if name not in _FACTS:
        raise TableError(
            f"The paper has no data set {name!r}.{nearest(name, _FACTS)} It has {listing(_FACTS)}."
        )
    if test_rows is not None and test_rows < 1:
        raise TableError(
            f"test_rows must be at least 1; received {test_rows}. Leave it out to keep all rows."
        )
    facts, folder = _FACTS[name], _folder() / name
    read = _read_images if name == "mnist17" else _read_csv
    if test_rows is None and name == "mnist17":
        test_rows = IMAGES
    train = read(folder, "train").drop(columns=list(facts.ignored))
    test = read(folder, "test").drop(columns=list(facts.ignored)).iloc[:test_rows]
    source = "Repository of Meyer, Albarghouthi and D'Antoni (NeurIPS 2021), read from EVERYTREE_DATA."
    return Dataset(
        name,
        *split_label(train, facts.label),
        *split_label(test, facts.label),
        facts.label,
        facts.sensitive,
        facts.description,
        source,
        facts.licence,
    )


def _folder() -> Path:
    value = os.environ.get(FOLDER_VARIABLE, "")
    if not value:
        raise TableError(
            f"The paper's tables are read from the folder that the environment variable {FOLDER_VARIABLE} "
            "names, and it is not set. Set it to a folder with compas/train.csv, compas/test.csv, and so "
            "on."
        )
    folder = Path(value)
    if not folder.is_dir():
        raise TableError(
            f"{FOLDER_VARIABLE} names {value!r}, which is not a folder. Set it to one that exists."
        )
    return folder


def _read_csv(folder: Path, part: str) -> pd.DataFrame:
    return read_table(folder / f"{part}.csv")


def _read_images(folder: Path, part: str) -> pd.DataFrame:
    file = folder / f"{part}.npz"
    if not file.is_file():
        raise TableError(f"There is no file {str(file)!r}. {FOLDER_VARIABLE} must name a folder that has it.")
    with np.load(file) as arrays:
        black = (arrays["pixels"] > BLACK_ABOVE).astype(np.uint8)
        digit = arrays["digit"].astype(np.int64)
    frame = pd.DataFrame(black, columns=[f"pixel{j}" for j in range(black.shape[1])])
    return pd.concat([frame, pd.Series(digit, name="digit")], axis=1)

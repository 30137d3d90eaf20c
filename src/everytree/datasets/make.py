"""Maintainer's script: make the bundled files of `everytree.datasets` from their public source.

Run it when the bundled columns change; users never need it::

    pip download fairness==0.1.8 --no-deps
    python -m everytree.datasets.make fairness-0.1.8-py3-none-any.whl
"""

from __future__ import annotations

import argparse
import gzip
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from everytree.errors import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["main", "make_adult", "make_compas"]

COMPAS_FILE = "fairness/data/raw/propublica-recidivism.csv"
ADULT_FILE = "fairness/data/raw/adult.csv"
COMPAS_COLUMNS = [
    "sex",
    "age",
    "race",
    "juv_fel_count",
    "juv_misd_count",
    "juv_other_count",
    "priors_count",
    "c_charge_degree",
    "two_year_recid",
]
COMPAS_ROWS, ADULT_ROWS = 6172, 32561


def make_compas(raw: bytes) -> pd.DataFrame:
    """Filter ProPublica's table as ProPublica did and keep the columns that identify nobody.

    Kept are people screened within 30 days of their arrest, with a known outcome, no ordinary
    traffic offence and a valid score.
    """
    import pandas as pd

    table = pd.read_csv(io.BytesIO(raw), keep_default_na=False, na_values=[""], low_memory=False)
    usual = (
        table["days_b_screening_arrest"].between(-30, 30)
        & (table["is_recid"] != -1)
        & (table["c_charge_degree"] != "O")
        & (table["score_text"] != "N/A")
    )
    return _expect(table.loc[usual, COMPAS_COLUMNS], COMPAS_ROWS, "compas")


def make_adult(raw: bytes) -> pd.DataFrame:
    """Give the columns of UCI Adult names without hyphens and take stray spaces out of the text."""
    import pandas as pd

    table = pd.read_csv(io.BytesIO(raw), keep_default_na=False, skipinitialspace=True)
    table = table.rename(columns={"income-per-year": "income"})
    table.columns = table.columns.str.replace("-", "_")
    for name in table.select_dtypes(exclude="number"):
        table[name] = table[name].str.strip()
    return _expect(table, ADULT_ROWS, "adult")


def _expect(table: pd.DataFrame, rows: int, name: str) -> pd.DataFrame:
    if len(table) != rows or table.isna().any(axis=None):
        raise TableError(
            f"{name} must have {rows} rows and no missing values; received {len(table)} rows. Use the "
            "wheel of fairness 0.1.8, unchanged."
        )
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the wheel and write the two compressed files."""
    parser = argparse.ArgumentParser(description="Make everytree's bundled tables.")
    parser.add_argument("wheel", type=Path, help="fairness-0.1.8-py3-none-any.whl")
    parser.add_argument("--to", type=Path, default=Path(__file__).parent / "data", help="folder to write to")
    options = parser.parse_args(arguments)
    with zipfile.ZipFile(options.wheel) as wheel:
        tables = {
            "compas": make_compas(wheel.read(COMPAS_FILE)),
            "adult": make_adult(wheel.read(ADULT_FILE)),
        }
    options.to.mkdir(exist_ok=True)
    for name, table in tables.items():
        text = table.to_csv(index=False, lineterminator="\n").encode()
        packed = gzip.compress(text, compresslevel=9, mtime=0)
        (options.to / f"{name}.csv.gz").write_bytes(packed)
        print(f"{name}: {len(table)} rows, {len(packed)} bytes")


if __name__ == "__main__":
    main()

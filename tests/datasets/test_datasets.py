"""The bundled tables, the script that makes them, and the paper's own."""

import gzip
import os
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from everytree.datasets import load, load_paper, make, names, paper_names
from everytree.errors import TableError
from everytree.table import training_table

needs_paper = pytest.mark.skipif("EVERYTREE_DATA" not in os.environ, reason="EVERYTREE_DATA is not set")


def test_names() -> None:
    assert names() == ("hiring", "compas", "adult")
    assert paper_names() == ("compas", "drug", "adult", "mnist17")


def test_hiring_is_the_running_example() -> None:
    data = load("hiring")
    hired = data.X_train.assign(hired=data.y_train)
    assert hired["score"].tolist() == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert hired.loc[hired["hired"] == 1, "score"].tolist() == [5, 6, 7, 9]
    assert hired.loc[hired["race"] == "Black", "score"].tolist() == [1, 8]
    pd.testing.assert_frame_equal(data.X_train, data.X_test)


@pytest.mark.parametrize(("name", "train", "test"), [("compas", 4629, 1543), ("adult", 24421, 8140)])
def test_bundled_tables(name: str, train: int, test: int) -> None:
    data = load(name)
    assert (len(data.X_train), len(data.X_test)) == (train, test)
    assert (len(data.y_train), len(data.y_test)) == (train, test)
    assert set(data.sensitive) <= set(data.X_train)
    assert data.label not in data.X_train
    assert repr(data).startswith(f"Dataset({name!r}, {train} training rows")
    assert data.description
    assert data.source
    assert data.licence
    training_table(data.X_train, data.y_train)


def test_the_split_is_every_fourth_row() -> None:
    whole = pd.read_csv(files("everytree.datasets") / "data" / "compas.csv.gz")
    data = load("compas")
    assert data.X_test["age"].tolist() == whole["age"][3::4].tolist()
    assert data.y_test.tolist() == whole["two_year_recid"][3::4].tolist()


def test_compas_has_nobodys_name() -> None:
    assert set(load("compas").X_train) == set(make.COMPAS_COLUMNS) - {"two_year_recid"}
    data = load("compas")
    assert all(data.X_train[name].nunique() < 100 for name in data.X_train)
    assert round(float(pd.concat([data.y_train, data.y_test]).mean()), 4) == 0.4551


def test_adult_keeps_the_question_mark() -> None:
    X = pd.concat([load("adult").X_train, load("adult").X_test])
    assert (X["workclass"] == "?").sum() == 1836
    assert "education_num" in X
    text = X.select_dtypes(exclude="number")
    assert all((text[name] == text[name].str.strip()).all() for name in text)


@pytest.mark.parametrize("name", ["compas", "adult"])
def test_files_are_compressed_without_a_date(name: str) -> None:
    packed = (files("everytree.datasets") / "data" / f"{name}.csv.gz").read_bytes()
    assert packed[4:8] == bytes(4)
    assert len(packed) < 500_000
    assert len(gzip.decompress(packed)) > len(packed)


def test_unknown_names() -> None:
    with pytest.raises(
        TableError, match=r"no bundled data set 'compass'\. Did you mean 'compas'\? .*'hiring'"
    ):
        load("compass")
    with pytest.raises(TableError, match=r"no data set 'mnist'\. Did you mean 'mnist17'\? It has 'compas'"):
        load_paper("mnist")


def raw_compas(rows: int) -> bytes:
    table = pd.DataFrame({name: [1] * rows for name in make.COMPAS_COLUMNS})
    table = table.assign(
        c_charge_degree="F", days_b_screening_arrest=0, is_recid=0, score_text="Low", name="x"
    )
    table.loc[0, "days_b_screening_arrest"] = 31
    table.loc[1, "is_recid"] = -1
    table.loc[2, "c_charge_degree"] = "O"
    table.loc[3, "score_text"] = "N/A"
    return table.to_csv(index=False).encode()


def test_the_script_filters_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableError, match=r"compas must have 6172 rows .* received 6 rows"):
        make.make_compas(raw_compas(10))
    monkeypatch.setattr(make, "COMPAS_ROWS", 6)
    assert list(make.make_compas(raw_compas(10))) == make.COMPAS_COLUMNS
    monkeypatch.setattr(make, "ADULT_ROWS", 1)
    adult = make.make_adult(b"age,marital-status,income-per-year\n39, Never-married ,<=50K\n")
    assert adult.to_dict("list") == {"age": [39], "marital_status": ["Never-married"], "income": ["<=50K"]}


def test_the_paper_needs_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    with pytest.raises(TableError, match="environment variable EVERYTREE_DATA names, and it is not set"):
        load_paper("compas")
    monkeypatch.setenv("EVERYTREE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(TableError, match="which is not a folder"):
        load_paper("compas")
    monkeypatch.setenv("EVERYTREE_DATA", str(tmp_path))
    with pytest.raises(TableError, match=r"no file .*mnist17"):
        load_paper("mnist17")
    with pytest.raises(TableError, match=r"no file .*drug"):
        load_paper("drug")
    with pytest.raises(TableError, match="test_rows must be at least 1; received 0"):
        load_paper("drug", test_rows=0)


def test_images_become_black_and_white(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mnist17").mkdir()
    for part in ("train", "test"):
        pixels = np.tile(np.array([[0, 128, 129, 255]], dtype=np.uint8), (120, 1))
        np.savez(tmp_path / "mnist17" / f"{part}.npz", pixels=pixels, digit=np.full(120, 7, dtype=np.uint8))
    monkeypatch.setenv("EVERYTREE_DATA", str(tmp_path))
    data = load_paper("mnist17")
    assert data.X_train.iloc[0].tolist() == [0, 0, 1, 1]
    assert (len(data.X_train), len(data.X_test)) == (120, 100)
    assert len(load_paper("mnist17", test_rows=5).X_test) == 5


@needs_paper
@pytest.mark.parametrize(
    ("name", "shape", "test_rows"),
    [
        ("compas", (4629, 10), 1543),
        ("drug", (1262, 12), 623),
        ("adult", (32561, 14), 500),
        ("mnist17", (13007, 784), 100),
    ],
)
def test_the_papers_tables(name: str, shape: tuple[int, int], test_rows: int) -> None:
    data = load_paper(name)
    assert data.X_train.shape == shape
    assert len(data.X_test) == test_rows
    assert set(data.sensitive) <= set(data.X_train)
    assert training_table(data.X_train, data.y_train).X.shape == shape

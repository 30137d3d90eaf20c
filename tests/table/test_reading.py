"""Files of every kind, and what is wrong with them."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from everytree.errors import TableError
from everytree.table import read_table, split_label

FRAME = pd.DataFrame({"race": ["a", "None", "NA"], "score": [1, 2, 3], "gpa": [0.1, 1 / 3, 1e-17]})


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    if name.endswith(".gz"):
        file.write_bytes(gzip.compress(text.encode()))
    else:
        file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "T.CSV", "t.parquet"])
def test_csv_and_parquet_come_back_unchanged(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    if name.endswith("parquet"):
        FRAME.to_parquet(file)
    else:
        FRAME.to_csv(file, index=False)
    pd.testing.assert_frame_equal(read_table(file), FRAME)
    pd.testing.assert_frame_equal(read_table(str(file)), FRAME)


def test_numbers_are_read_exactly(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=2000)
    file = write(tmp_path, "t.csv", "v\n" + "\n".join(repr(float(v)) for v in values))
    assert np.array_equal(read_table(file)["v"], values)


def test_spaces_marks_and_words_in_csv(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "t.csv", "\ufeffa, b, c\n1, x, \n2, None, 3\n"))
    assert list(frame) == ["a", "b", "c"]
    assert frame["b"].tolist() == ["x", "None"]
    assert np.isnan(frame["c"][0])


ARFF = r"""% people
@RELATION people
@attribute 'the race' {Black, 'White or other', 'it\'s'}
@attribute score numeric
@attribute "note" string
@attribute hired {yes, no}

@DATA
Black, 1, "a, b", no
'White or other', ?, '?', yes
?,2.5,é, yes
'it\'s',-1e3,'',no
"""


def test_arff(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "t.arff", ARFF))
    assert list(frame) == ["the race", "score", "note", "hired"]
    assert frame["the race"].tolist() == ["Black", "White or other", None, "it's"]
    assert frame["score"].isna().tolist() == [False, True, False, False]
    assert frame["score"].tolist()[2:] == [2.5, -1000]
    assert frame["note"].tolist() == ["a, b", "?", "é", ""]
    assert frame["hired"].tolist() == ["no", "yes", "yes", "no"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@attribute d date\n@data\n1\n", r"Line 1 .* not supported: '@attribute d date'"),
        ("@attribute d\n@data\n1\n", r"Line 1 .* not supported"),
        ("@attribute a numeric\n", "no @data line"),
        ("@attribute a numeric\n@data\n", "has no rows"),
        ("@attribute a numeric\n@data\n1,2\n", r"Line 3 .* must have 1 values; received 2: '1,2'"),
        ("@attribute a numeric\n@data\nx\n", r"Line 3 .* non-numeric text in the numeric column 'a': 'x'"),
        ("@attribute a {x, y}\n@data\nz\n", r"Line 3 .* has 'z' in the column 'a', which declares 'x', 'y'"),
        ("@attribute a numeric\n@data\n{0 1}\n", "Line 3 .* sparse row"),
        ("hello\n", "Line 1 of the ARFF header must start with @; received 'hello'"),
    ],
)
def test_bad_arff(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_table(write(tmp_path, "t.arff", text))


def test_missing_file_suggests_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, "train.csv", "a\n1\n")
    with pytest.raises(TableError, match=r"no file .*trian\.csv'\. Did you mean 'train\.csv'\?"):
        read_table(tmp_path / "trian.csv")
    with pytest.raises(TableError, match=r"its folder .*nowhere' does not exist"):
        read_table(tmp_path / "nowhere" / "t.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path / "folder.csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.xlsx", "", r"suffix must be one of '\.csv', .*; received '\.xlsx'"),
        ("t.csv", "a,b\n", "has no rows"),
        ("t.csv", "", "Cannot read .* as csv: No columns"),
        ("t.csv", "a,b,a\n1,2,3\n", "duplicate column names: 'a'"),
        ("t.csv", ",b\n0,2\n", r"Column 1 of .* has no name .* index=False"),
        ("t.csv", "a;b\n1;2\n", r"separated by semicolons or tabs.*'a;b'"),
        ("t.csv", "a,b\n1,2,3\n", "Cannot read .* as csv"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", "Cannot read .* as csv"),
        ("t.parquet", "no parquet", "Cannot read .* as parquet"),
    ],
)
def test_unreadable_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_table(write(tmp_path, name, text))


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\xff\xfe,1\n")
    (tmp_path / "t.csv.gz").write_bytes(b"not gzip")
    for name in ("t.csv", "t.csv.gz"):
        with pytest.raises(TableError, match="Cannot read"):
            read_table(tmp_path / name)


@pytest.mark.parametrize("text", ["näme\n1\n", "name\n" + "a\n" * 100_000 + "Jürgen\n"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_file_in_another_encoding(tmp_path: Path, name: str, text: str) -> None:
    data = text.encode("latin-1")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    message = (
        r"it is not UTF-8 \(byte 0x.. cannot be read\)\. Save the file as UTF-8; in Excel .* \"CSV UTF-8\""
    )
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / name)


def test_a_label_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(TableError, match=r"no column 'payed' .* Did you mean 'repaid'\?"):
        split_label(FRAME.rename(columns={"score": "repaid"}), "payed")


def test_split_label() -> None:
    X, y = split_label(FRAME, "score")
    assert list(X) == ["race", "gpa"]
    assert y.tolist() == [1, 2, 3]
    with pytest.raises(
        TableError, match=r"no column 'Score' .* Did you mean 'score'\? Its columns are 'race'"
    ):
        split_label(FRAME, "Score")
    with pytest.raises(TableError, match="more than one column 'score'"):
        split_label(FRAME.rename(columns={"gpa": "score"}), "score")

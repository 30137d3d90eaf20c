"""Files of every kind, and what is wrong with them."""

import gzip
import io
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from everytree.errors import EverytreeWarning, TableError
from everytree.table import read_table, split_label
from everytree.table.signs import note_signs, signed_columns

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
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.ods", "", r"suffix must be one of '\.csv', .*; received '\.ods'"),
        ("t.csv", "a,b\n", "has no rows"),
        ("t.csv", "", "is empty. It needs a header"),
        ("t.csv", "a,b,a\n1,2,3\n", "duplicate column names: 'a'"),
        ("t.csv", "a,\n0,2\n", r"Column 2 of .* has no name in the header\. .* or remove the column"),
        ("t.csv", ",b\n0,2\n,3\n", r"Column 1 of .* has no name in the header"),
        ("t.csv", "a;b\n1,5;2.5\n", r"decimal comma and numbers with a decimal point, such as '1,5', '2\.5'"),
        ("t.csv", "a,b\n1,2,3\n", "Cannot read .* as csv"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", "Cannot read .* as csv"),
        ("t.parquet", "no parquet", "Cannot read .* as parquet"),
    ],
)
def test_unreadable_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_table(write(tmp_path, name, text))


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\xff\xfe\x81,1\n")
    (tmp_path / "t.csv.gz").write_bytes(b"not gzip")
    for name in ("t.csv", "t.csv.gz"):
        with pytest.raises(TableError, match="Cannot read"):
            read_table(tmp_path / name)


@pytest.mark.parametrize("text", ["näme\n1\n", "name\n" + "a\n" * 100_000 + "Jürgen\n"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_letters_of_windows_are_found_and_noted(tmp_path: Path, name: str, text: str) -> None:
    data = text.encode("cp1252")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.warns(EverytreeWarning, match=r"not UTF-8 and is read as Windows-1252, with '(näme|Jürgen)'"):
        frame = read_table(tmp_path / name)
    assert "näme" in frame or frame["name"].iloc[-1] == "Jürgen"


def test_utf_16_says_so_itself(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("näme\tb\nx\t1\n".encode("utf-16"))
    assert read_table(tmp_path / "t.txt").to_dict("list") == {"näme": ["x"], "b": [1]}
    (tmp_path / "t.csv").write_bytes("a;b\n1;2".encode("utf-16-le"))
    with pytest.raises(TableError, match=r"it is not UTF-8 \(byte 0x00 cannot be read\)"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_separators_are_found(tmp_path: Path, separator: str) -> None:
    text = 'a; b; c d\n1.5; "x, y; z"; 3\n-2; v, w; \n'.replace(";", separator)
    frame = read_table(write(tmp_path, "t.csv", text))
    assert frame["a"].tolist() == [1.5, -2.0]
    assert frame["b"].tolist() == [f"x, y{separator} z", "v, w"]
    assert np.isnan(frame["c d"][1])


def test_decimal_commas_are_found_and_noted(tmp_path: Path) -> None:
    text = "a;b;c\n1,5;2;x,y\n-0,25;3;1,x\n"
    with pytest.warns(EverytreeWarning, match=r"numbers such as '1,5': their comma"):
        frame = read_table(write(tmp_path, "t.csv", text))
    assert frame["a"].tolist() == [1.5, -0.25]
    assert frame["b"].tolist() == [2, 3]
    assert frame["c"].tolist() == ["x,y", "1,x"]


def test_commas_stay_the_separator_where_texts_hold_others(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "t.csv", "a,b\n1,x;y;z\n2,u|v\n"))
    assert frame["b"].tolist() == ["x;y;z", "u|v"]
    assert list(read_table(write(tmp_path, "one.csv", "a\n1\n"))) == ["a"]


def test_feather_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRAME.to_feather(tmp_path / "t.feather")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.feather"), FRAME)
    text = FRAME.to_csv(index=False).encode()
    feather = (tmp_path / "t.feather").read_bytes()
    for content in (text, gzip.compress(text), FRAME.to_parquet(), feather):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        pd.testing.assert_frame_equal(read_table("-"), FRAME)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n")))
    with pytest.raises(TableError, match="The table in 'standard input' has no rows"):
        read_table("-")


def test_excel_goes_through_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Book:
        sheet_names: ClassVar = ["people", "notes"]

        def __init__(self, content: object) -> None:
            pass

        def __enter__(self) -> "Book":
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def first_sheet(book: Book, sheet_name: int, header: object = 0, **options: object) -> pd.DataFrame:
        assert sheet_name == 0
        return pd.DataFrame([["race", "score", "gpa"]]) if header is None else FRAME

    write(tmp_path, "t.xlsx", "PK\x03\x04")
    with monkeypatch.context() as patch:
        patch.setattr(pd, "ExcelFile", Book)
        patch.setattr(pd, "read_excel", first_sheet)
        with pytest.warns(EverytreeWarning, match=r"has 2 sheets; the first one, 'people', is read"):
            pd.testing.assert_frame_equal(read_table(tmp_path / "t.xlsx"), FRAME)

    def missing(content: object) -> None:
        raise ImportError("`Import openpyxl` failed.") from ModuleNotFoundError("", name="openpyxl")

    monkeypatch.setattr(pd, "ExcelFile", missing)
    with pytest.raises(
        TableError, match=r"pandas needs openpyxl for xlsx files\. Install it with: pip install"
    ):
        read_table(tmp_path / "t.xlsx")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"PK\x03\x04")))
    with pytest.raises(TableError, match=r"'standard input': pandas needs openpyxl for such files\."):
        read_table("-")


def test_excel_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openpyxl")
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.xlsx"), FRAME)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "t.xlsx").read_bytes())))
    pd.testing.assert_frame_equal(read_table("-"), FRAME)
    FRAME.to_excel(tmp_path / "named.xlsx")
    with pytest.warns(EverytreeWarning, match="taken for names of rows, and left out"):
        pd.testing.assert_frame_equal(read_table(tmp_path / "named.xlsx"), FRAME)


def test_a_suffix_that_does_not_fit_is_told(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.csv")
    with pytest.raises(TableError, match=r"is no text: it begins as a \.parquet file does\. Rename it"):
        read_table(tmp_path / "t.csv")
    FRAME.to_csv(tmp_path / "t.xlsx")
    with pytest.raises(TableError, match=r"Cannot read .* as xlsx: it does not begin as such a file does\."):
        read_table(tmp_path / "t.xlsx")


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


def test_numbers_with_signs_are_noted(tmp_path: Path) -> None:
    """A column of percentages is text; whoever takes it for numbers is told so."""
    rows = "".join(
        f"{place},{place / 4:.1f} %,P-{place},1'{place:03d},2020-01-{place + 1:02d}\n" for place in range(20)
    )
    frame = read_table(write(tmp_path, "t.csv", f"id,rate,code,price,day\n{rows}"))
    assert frame["rate"].iloc[1] == "0.2 %"
    assert signed_columns(frame) == {"rate": "0.0 %", "price": "1'000"}
    with pytest.warns(EverytreeWarning) as noted:
        note_signs(frame, ["price", "nosuch"])
    assert [str(note.message) for note in noted] == [
        "Column 'rate' of the training table holds text such as '0.0 %': each is a category of its own. To "
        "have it read as numbers, write them without signs and gaps."
    ]


def test_few_percentages_are_categories(tmp_path: Path) -> None:
    frame = read_table(write(tmp_path, "t.csv", "hours,y\n100 %,1\n50 %,0\n,1\n"))
    assert signed_columns(frame) == {}


@pytest.mark.parametrize("header", ["", '""'])
def test_names_of_rows_are_left_out_and_noted(tmp_path: Path, header: str) -> None:
    text = f"{header},a,b\n0,1.5,x\n1,2.5,y\n"
    with pytest.warns(EverytreeWarning, match="first column of .* has no name: .* left out"):
        frame = read_table(write(tmp_path, "t.csv", text))
    assert frame.to_dict("list") == {"a": [1.5, 2.5], "b": ["x", "y"]}


def test_names_of_rows_may_occur_more_than_once(tmp_path: Path) -> None:
    """Tables that were put together, or drawn with repetition, have such an index."""
    with pytest.warns(
        EverytreeWarning, match=r"names of rows, though some occur more than once, such as 7, .*"
    ):
        frame = read_table(write(tmp_path, "t.csv", ",a\n3,1.5\n7,2.5\n7,3.5\n"))
    assert frame.to_dict("list") == {"a": [1.5, 2.5, 3.5]}


def test_words_for_missing_among_numbers_are_noted(tmp_path: Path) -> None:
    text = "age,gpa,grade,code\n33,NA,NA,-\nNA,0.1,A,x\n?,1e-17,B,1\n"
    with pytest.warns(
        EverytreeWarning, match=r"among the numbers of 'age' \('NA' '\?'\), 'gpa' \('NA'\): they"
    ):
        frame = read_table(write(tmp_path, "t.csv", text))
    assert frame["age"].isna().tolist() == [False, True, True]
    assert frame["gpa"].tolist()[1:] == [0.1, 1e-17]
    assert frame["grade"].tolist() == ["NA", "A", "B"]
    assert frame["code"].tolist() == ["-", "x", "1"]
    with pytest.warns(EverytreeWarning):
        decimal = read_table(write(tmp_path, "t.csv", "a;b\n1,5;x\nNA;y\n"))
    assert decimal["a"][0] == 1.5
    assert decimal["a"].isna()[1]

"""The notebooks in examples run, say what is stored in them, and hold nothing of a machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip(
    "nbformat", reason="the notebooks are run by nbclient: pip install nbclient ipykernel"
)
pytest.importorskip("nbclient", reason="the notebooks are run by nbclient: pip install nbclient ipykernel")
pytest.importorskip("ipykernel", reason="the notebooks need a kernel: pip install ipykernel")

from examples.execute import NOTEBOOKS, execute, plain, texts  # noqa: E402

NAMES = [path.name for path in NOTEBOOKS]


def test_both_notebooks_are_there() -> None:
    assert NAMES == ["compas_audit.ipynb", "hiring.ipynb"]


@pytest.mark.filterwarnings("default")  # warnings of the kernel's own libraries are no concern of ours
@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_notebook_says_what_it_said(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    again = execute(path, tmp_path)
    assert texts(again) == texts(stored), "Read the difference; python -m examples.execute stores it."
    pictures = [[sorted(o.get("data", {})) for o in cell.get("outputs", ())] for cell in again.cells]
    assert pictures == [[sorted(o.get("data", {})) for o in cell.get("outputs", ())] for cell in stored.cells]
    if path.name == "compas_audit.ipynb":
        assert "A tree on COMPAS records" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_a_stored_notebook_is_whole_small_and_of_no_machine(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size < 300_000
    text = nbformat.writes(notebook)
    assert text == nbformat.writes(plain(nbformat.read(path, as_version=4)))
    words = re.sub(r'"image/png": "[^"]*"', "", text)
    assert not re.search(r"/home/|/root|/tmp/|/work/|/usr/|[A-Z]:\\\\|0x[0-9a-f]{6,}|site-packages", words)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert all(output.output_type != "error" for output in outputs)
    assert all(output.get("name") != "stderr" for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)

"""Runs the notebooks of this folder again: `python -m examples.execute` from the root of the project.

A notebook is its own source. Outputs are kept without anything that differs from run to run; the tests run
every notebook and compare the text of its outputs.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def execute(path: Path, folder: str | Path) -> Any:
    """Run a notebook, let it write its files into a folder, and return it with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return plain(notebook)


def plain(notebook: Any) -> Any:
    """Take away what differs from run to run, or from machine to machine."""
    notebook.metadata = nbformat.from_dict(KERNEL)
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", nbformat.from_dict({})
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
    return notebook


def texts(notebook: Any) -> list[str]:
    """List the words of all outputs, cell by cell: what is printed and what is shown, except pictures."""
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            page = re.sub(r"<style.*?</style>|<[^>]*>", " ", shown.get("text/html", ""), flags=re.DOTALL)
            words = " ".join(page.split())
            parts = (output.get("text", ""), shown.get("text/plain", ""), words)
            found.append(f"cell {number}: " + "\n".join(part for part in parts if part))
    return found


def main() -> None:
    """Run all notebooks, or those named on the command line, and write them."""
    wanted = [Path(name) for name in sys.argv[1:]] or NOTEBOOKS
    for path in wanted:
        with tempfile.TemporaryDirectory() as folder:
            notebook = execute(path, folder)
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", file=sys.stderr)


if __name__ == "__main__":
    main()

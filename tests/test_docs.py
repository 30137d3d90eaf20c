"""Everything that README and docs show: code runs, commands run, and what is printed is what stands there.

Fenced blocks, page by page and in order:

* ``python`` with prompts is a doctest; without prompts it is a script, and a ``text`` block right behind it
  holds exactly what the script prints.
* ``console`` holds commands after a dollar sign. What stands below a command is exactly what it says; a
  command with nothing below it only has to run. What begins with "Error:" must end with code 2,
  what says "Not met:" with code 1.
* ``csv`` and ``toml`` with ``title="NAME"`` are files that code and commands of the page find there.
* ``sh`` holds what a reader types once, such as an installation; it is not run here.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import everytree
from everytree.audit import load_plan
from everytree.cli import main
from tests.cli.cli_tools import Run, run  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^```(\w*)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)|<img [^>]*src=\"([^\"]+)\"")
KINDS = {"python", "text", "console", "csv", "toml", "sh", "yaml"}
FILES = ("csv", "toml")
PROGRESS = re.compile(r"^\d+ of \d+ cells are done.*\n", re.MULTILINE)
"""Signs of life of a slow machine."""


class Block(NamedTuple):
    """A fenced block: its language, the name of its file, its text, and its first line in the page."""

    kind: str
    file: str
    text: str
    line: int
    adjacent: bool


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in FENCE.finditer(text):
        adjacent = end > 0 and not text[end : match.start()].strip()
        line = text.count("\n", 0, match.start()) + 2
        titled = re.fullmatch(r'title="([^"]+)"', match[2].strip())
        found.append(Block(match[1], titled[1] if titled else "", match[3], line, adjacent))
        end = match.end()
    return found


def with_blocks(kind: str) -> list[Any]:
    chosen = [page for page in PAGES if any(block.kind == kind for block in blocks_of(page))]
    return [pytest.param(page, id=page.stem) for page in chosen]


def test_every_block_says_what_it_is() -> None:
    for page in PAGES:
        for block in blocks_of(page):
            assert block.kind in KINDS, f"{page.name}:{block.line}: {block.kind!r}"


@pytest.mark.parametrize("page", with_blocks("toml"))
def test_every_audit_file_shown_is_one(page: Path, tmp_path: Path) -> None:
    for place, block in enumerate(blocks_of(page)):
        if block.kind == "toml" and "120%" not in block.text:
            file = tmp_path / f"{place}.toml"
            file.write_text(block.text, encoding="utf-8")
            assert load_plan(file).cells(), f"{page.name}:{block.line}"


@pytest.mark.parametrize("page", with_blocks("python"))
def test_code_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    _write_files(page, tmp_path)
    names: dict[str, Any] = {"__name__": page.stem}
    blocks = blocks_of(page)
    for place, block in enumerate(blocks):
        if block.kind != "python":
            continue
        if ">>>" in block.text:
            _run_doctest(page, block, names)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        expected = after.text if after is not None and after.kind == "text" and after.adjacent else ""
        assert _trimmed(printed.getvalue()) == _trimmed(expected), f"{page.name}:{block.line}"


def _write_files(page: Path, folder: Path) -> None:
    for block in blocks_of(page):
        if block.kind in FILES and block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def _run_doctest(page: Path, block: Block, names: dict[str, Any]) -> None:
    example = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    failed = runner.run(example, out=report.write, clear_globs=False).failed
    names.update(example.globs)
    assert failed == 0, report.getvalue()


@pytest.mark.parametrize("page", with_blocks("console"))
def test_commands_run_and_say_what_the_page_says(page: Path, run: Run, tmp_path: Path) -> None:  # noqa: F811
    _write_files(page, tmp_path)
    for block in blocks_of(page):
        if block.kind != "console":
            continue
        for typed, expected in _commands(block):
            program, *arguments = shlex.split(typed)
            assert program == "everytree", f"{page.name}:{block.line}: {typed}"
            said = run(*arguments)
            code = 2 if expected.startswith("Error:") else 1 if "Not met:" in expected else 0
            assert said.code == code, f"{typed}\n{said.err}"
            if expected:
                shown = PROGRESS.sub("", said.err + said.out)
                assert _trimmed(shown) == _trimmed(expected), f"{page.name}:{block.line}"


def _commands(block: Block) -> list[tuple[str, str]]:
    """Commands of a console block with what stands below them; a backslash continues a line."""
    found = []
    for part in re.split(r"^\$ ", block.text.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        found.append((command, output))
    return found


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def test_the_site_is_built_from_the_pages_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    for page in sorted((tmp_path / "site").rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not fetched, f"{page.name}: {fetched}"
        assert "```" not in text, page
    reference = (tmp_path / "site" / "python" / "index.html").read_text(encoding="utf-8")
    for name in everytree.__all__:
        assert f"everytree.{name}" in reference, name


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target, _, image in LINK.findall(page.read_text(encoding="utf-8")):
            name = target or image
            if "://" not in name:
                assert (page.parent / name).exists(), f"{page.name}: {name}"


def test_every_command_has_its_place_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    from everytree.cli.app import app

    reference = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__  # type: ignore[union-attr]
        assert f"## `everytree {name}" in reference, name
        assert main([name, "--help"]) == 0
        for option in sorted(set(re.findall(r"--[a-z]+(?:-[a-z]+)*", capsys.readouterr().out)) - {"--help"}):
            assert option in reference, f"everytree {name} {option}"


def test_the_picture_shows_what_the_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVERYTREE_DATA", raising=False)
    place = ROOT / "docs" / "images" / "render.py"
    spec = importlib.util.spec_from_file_location("render", place)
    assert spec is not None
    assert spec.loader is not None
    render = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "render", render)
    spec.loader.exec_module(render)
    assert render.words(render.PICTURE.read_text(encoding="utf-8")) == render.words(render.render())


def test_ci_runs_the_tests_as_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    typed = re.search(r"^.*bin/(pytest -n 2[^\n]*)$", readme, re.MULTILINE)
    assert typed is not None
    assert typed[1] in script

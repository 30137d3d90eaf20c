"""Every mistake of ``mutants.MUTANTS`` must lead to a violation, and the harness must be able to tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.truth.mutants import (
    MUTANTS,
    PACKAGE,
    Mutant,
    MutantError,
    apply_mutant,
    copy_package,
    hunt,
    run_campaign,
)
from tests.truth.planted import is_rejected, planted

# A package with the names the campaign uses. It certifies only tables that have one label:
# always right, because every label of a biased table is a label of the table.
MINIATURE = '''
class _Expression:
    """Accepts every operator and means nothing."""

    def _any(self, *_):
        return self

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _any
    __and__ = __or__ = __invert__ = __add__ = isin = _any
    __hash__ = object.__hash__


label = _Expression()


def col(name):
    return _Expression()


def miss(amount, **options):
    return _Expression()


flip = fake = miss


class _Result:
    def __init__(self, verdicts, predictions):
        self.verdicts, self.predictions = verdicts, predictions


def certify(tree, X, y, points, bias, engine):
    tree.fit(X, y)
    robust = len(set(y)) == 1
    return _Result(["robust" if robust else "unknown"] * len(points), tree.predict(points))
'''


@pytest.fixture
def miniature(tmp_path: Path) -> Path:
    package = tmp_path / "original" / "everytree"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(MINIATURE, encoding="utf-8")
    return package


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    return folder


def mutate(old: str, new: str, **options) -> Mutant:
    return Mutant("a mistake", "__init__.py", old, new, **options)


def test_a_wrong_proof_is_caught(miniature, empty):
    found = hunt(mutate("== 1", "<= 2"), empty, miniature)
    assert found.caught
    assert "but can be" in found.output


def test_a_harmless_change_survives(miniature, empty):
    found = hunt(mutate('"unknown"', '"not robust"', problems=30), empty, miniature)
    assert not found.caught
    assert "violations 0" in found.output


def test_the_focus_narrows_the_problems(miniature, empty):
    """A certifier that is wrong about more than three labels only is right about two."""
    focus = {"kinds": ["flip"], "depth": 1, "classes": 2, "style": "bulk"}
    old, new = "len(set(y)) == 1", "len(set(y)) not in (2, 3)"
    found = hunt(mutate(old, new, problems=30, focus=focus), empty, miniature)
    assert not found.caught


def test_a_crash_is_no_catch(miniature, empty):
    with pytest.raises(MutantError, match="ZeroDivisionError"):
        hunt(mutate("len(set(y)) == 1", "1 / 0"), empty, miniature)


def test_a_failed_self_check_is_a_catch(miniature, empty):
    old, new = "len(set(y)) == 1", 'bool(exec("class InternalError(Exception): pass\\nraise InternalError"))'
    assert hunt(mutate(old, new), empty, miniature).caught


def test_an_endless_campaign_is_no_catch(miniature, empty):
    with pytest.raises(MutantError, match="not done"):
        hunt(mutate("tree.fit(X, y)", "while True: pass"), empty, miniature, timeout=3)


@pytest.mark.parametrize(("old", "times"), [("no such text", 0), ("return _Expression()", 2)])
def test_the_old_text_must_occur_once(miniature, old, times):
    with pytest.raises(MutantError, match=f"{times} times"):
        apply_mutant(miniature, mutate(old, "pass"))


def test_a_mutant_must_change_something(miniature):
    with pytest.raises(MutantError, match="the old one"):
        apply_mutant(miniature, mutate("== 1", "== 1"))


def test_another_package_is_not_examined(miniature, empty):
    """The folder holds no package, so an installed one would be imported by accident."""
    with pytest.raises(MutantError, match="was imported from"):
        run_campaign(empty, "interval", 1, 0, {}, timeout=60)


@pytest.mark.parametrize(("engine", "problems"), [("interval", 60), ("witnesses", 4)])
def test_the_library_itself_survives(empty, engine, problems):
    copy_package(PACKAGE, empty)
    assert not run_campaign(empty, engine, problems, 0, {}, timeout=300).caught


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_caught(mutant, empty):
    found = hunt(mutant, empty)
    assert found.caught, f"{mutant.name!r} was not noticed\n{found.output}"


@pytest.mark.parametrize("name", ["ties dropped", "leaf flip worth 1", "rivals that may be unavailable"])
def test_a_file_of_a_faulty_prover_is_rejected(name, empty):
    """Three of those of ``python -m benchmarks.planted``."""
    found = is_rejected(planted()[name], empty)
    assert found.caught, found.output

"""Modules that are put off are empty until they are used, and then what they always are."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module, reload
from pathlib import Path
from typing import Any

import pytest

from everytree.cli import NEEDED_ALONE, SELDOM_USED
from everytree.support.imports import put_off

PACKAGE = """
import late_log
late_log.ran.append(__name__)
from late_package.part import NUMBER
from . import other
WORD = "word"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules; what is imported from there is forgotten afterwards."""
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_log.py").write_text("ran = []\n")
    (tmp_path / "late_package" / "__init__.py").write_text(PACKAGE)
    (tmp_path / "late_package" / "part.py").write_text(
        "import late_log\nlate_log.ran.append(__name__)\nimport late_package.other\nNUMBER = 7\n"
    )
    (tmp_path / "late_package" / "other.py").write_text("from late_package import part\n")
    (tmp_path / "late_package" / "small.py").write_text("SMALL = 1\n")
    (tmp_path / "late_own.py").write_text(
        "def __getattr__(name):\n    if name == 'made':\n        return 3\n    raise AttributeError(name)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("late_")]:
        del sys.modules[name]


def ran() -> list[str]:
    found: list[str] = import_module("late_log").ran
    return found


@pytest.mark.usefixtures("folder")
def test_code_runs_once_when_a_name_is_asked_for() -> None:
    put_off(["late_package"])
    module = import_module("late_package")
    assert module is import_module("late_package")
    assert module.__file__ is not None
    assert ran() == []
    assert module.WORD == "word"
    assert ran() == ["late_package", "late_package.part"]
    with pytest.raises(AttributeError, match=r"module 'late_package' has no attribute 'nothing'"):
        _ = module.nothing
    assert "__getattr__" not in vars(module)
    assert sys.modules["late_package"] is module
    reload(module)
    assert ran() == ["late_package", "late_package.part", "late_package"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("way", ["import late_package.part as part", "from late_package import part"])
def test_a_submodule_has_its_package_run_first_and_is_there_once(way: str) -> None:
    put_off(["late_package"])
    import_module("late_package")
    names: dict[str, Any] = {}
    exec(way, names)
    assert ran() == ["late_package", "late_package.part"]
    part = names["part"]
    assert part is sys.modules["late_package.part"] is sys.modules["late_package.other"].part
    assert part.__spec__.loader is part.__loader__
    assert reload(part) is part


@pytest.mark.usefixtures("folder")
def test_a_submodule_that_does_without_its_package() -> None:
    put_off(["late_package"], ["late_package.small"])
    assert import_module("late_package.small").SMALL == 1
    assert ran() == []
    assert import_module("late_package").small.SMALL == 1
    assert ran() == []
    names: dict[str, Any] = {}
    exec("from late_package import NUMBER", names)
    assert names["NUMBER"] == 7
    assert ran() == ["late_package", "late_package.part"]


@pytest.mark.usefixtures("folder")
def test_a_submodule_that_does_without_its_package_is_asked_of_the_package() -> None:
    put_off(["late_package"], ["late_package.small", "late_package.gone"])
    put_off(["late_other"])  # who puts off something else does not change that
    names: dict[str, Any] = {}
    exec("from late_package import small", names)
    assert names["small"].SMALL == 1
    assert ran() == []
    with pytest.raises(AttributeError, match="gone"):
        _ = import_module("late_package").gone
    assert ran() == ["late_package", "late_package.part"]


@pytest.mark.usefixtures("folder")
def test_names_that_a_module_makes_itself() -> None:
    put_off(["late_own"])
    module = import_module("late_own")
    assert module.made == 3
    with pytest.raises(AttributeError, match="other"):
        _ = module.other


@pytest.mark.usefixtures("folder")
def test_what_is_there_and_what_is_nowhere() -> None:
    log = import_module("late_log")
    put_off(["late_log", "late_nowhere", "sys", "zlib"])
    assert import_module("late_log") is log
    with pytest.raises(ModuleNotFoundError, match="late_nowhere"):
        import_module("late_nowhere")


def test_another_thread_waits_for_the_code(folder: Path) -> None:
    (folder / "late_slow.py").write_text("import time\ntime.sleep(0.2)\nWORD = 'slow'\n")
    put_off(["late_slow"])
    module, found = import_module("late_slow"), []
    threads = [threading.Thread(target=lambda: found.append(module.WORD)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["slow"] * 3


PROGRAM = f"""
import sys
from everytree.support.imports import put_off
put_off({SELDOM_USED!r}, {NEEDED_ALONE!r})
import sklearn.tree, numba
waits = [name for name in {SELDOM_USED!r} if "__getattr__" in vars(sys.modules.get(name, sys))]
print(*waits)
"""


def program(text: str) -> str:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, check=True
    ).stdout


def test_scikit_learn_works_with_what_is_put_off() -> None:
    """Statistics and neighbours, by every way to them that estimators take."""
    use = """
import pickle
import numpy as np
from sklearn.impute import KNNImputer
from sklearn.preprocessing import PowerTransformer, QuantileTransformer
import sklearn.neighbors._classification
from sklearn.neighbors import KNeighborsClassifier
assert KNeighborsClassifier is sklearn.neighbors._classification.KNeighborsClassifier
X = np.random.default_rng(0).normal(size=(20, 2))
print(QuantileTransformer(n_quantiles=5, output_distribution="normal").fit_transform(X).sum())
print(PowerTransformer().fit_transform(X).sum())
print(KNNImputer().fit_transform(np.where(X > 1, np.nan, X)).sum())
print(pickle.loads(pickle.dumps(KNeighborsClassifier().fit(X, X[:, 0] > 0))).predict(X).sum())
import scipy.stats, asyncio, yaml, numpy.f2py
print(scipy.stats.mode([1, 2, 2]), asyncio.run(asyncio.sleep(0, 5)), yaml.safe_load("a: 1"))
print(numpy.f2py.get_include()[-3:])
import numpy.testing, pydoc, scipy.special
from scipy.special import expit
from scipy.special._ufuncs import xlogy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
y = X[:, 0] > 0
numpy.testing.assert_allclose(expit(0.0), 0.5)
print(xlogy is scipy.special.xlogy, scipy.special.logsumexp([0.0, 1.0]), pydoc.locate("math.pi"))
print(f1_score(y, GaussianNB().fit(X, y).predict(X)), LogisticRegression().fit(X, y).predict_proba(X)[0])
print(DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y).tree_.impurity)
"""
    late, plain = program(PROGRAM + use), program(use)
    waits, _, rest = late.partition("\n")
    assert rest == plain
    for name in ("scipy.stats", "scipy.special"):
        assert name in waits.split(), "plain imports again: scikit-learn needs it as it starts?"


COMMAND = """
import sys
from everytree.cli import main
sys.argv[1:] = {call}
code = main({given})
print(code, "scipy.stats._stats_py" in sys.modules)
"""


def test_a_command_gives_the_same_with_and_without() -> None:
    call = ["certify", "hiring", "--bias", "flip(1)", "--depth", "1", "--json", "-", "--quiet"]
    late, plain = (program(COMMAND.format(call=call, given=given)) for given in ("", call))
    assert late.splitlines()[:-1] == plain.splitlines()[:-1]
    assert late.splitlines()[-1] == "0 False"


def test_a_command_that_needs_what_is_put_off(tmp_path: Path) -> None:
    """The first look at a table learns trees on parts of it, which imports statistics."""
    from everytree.datasets import load

    data = load("hiring")
    data.X_train.assign(hired=data.y_train).to_csv(tmp_path / "train.csv", index=False)
    written = []
    for file, whole in (("late.toml", True), ("plain.toml", False)):
        call = ["audit", "--init", str(tmp_path / "train.csv"), "--label", "hired"]
        call += ["--output", str(tmp_path / file)]
        said = program(COMMAND.format(call=call, given="" if whole else call))
        assert said.splitlines()[-1] == "0 True"
        written.append((tmp_path / file).read_text().replace(file, ""))
    assert written[0] == written[1]

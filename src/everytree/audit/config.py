"""From an audit file (TOML) to a `Plan`: every key checked, before any table is read.

What can only be checked with the tables at hand is in `everytree.audit.opened`.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sklearn.tree import DecisionTreeClassifier

from everytree.audit.keys import TableOfKeys, naming
from everytree.audit.plan import OUTPUT_FILES, Data, Outputs, Plan, Sweep, why_no_radius
from everytree.audit.require import read_require
from everytree.bias import Amount, parse
from everytree.datasets.inputs import is_dataset
from everytree.errors import AuditError, BiasError
from everytree.learner.missing import WAYS
from everytree.learner.settings import CHOICES, read_parameters
from everytree.learner.weight_texts import HOW_IN_FILES
from everytree.questions.certify import ENGINES
from everytree.support.text import nearest, pasteable
from everytree.table.groups import SMALLEST_COMPARED
from everytree.table.reading import SUFFIXES

if TYPE_CHECKING:
    from everytree.bias import BiasModel
    from everytree.learner.missing import Way

__all__ = ["load_plan"]

TOP = ("title", "author", "date", "data", "learner", "audit", "bias", "outputs", "require")
DATA = ("train", "test", "label", "labels", "positive", "drop", "categorical", "encoding", "missing")
AUDIT = ("groups", "depths", "engine", "time_limit", "n_jobs", "smallest_group")
LEARNER = (*CHOICES, "max_depth")
BIAS = ("name", "model", "amounts", "radius", "engine", "with", "with_amounts")
OUTPUTS = ("folder", *OUTPUT_FILES, "columns", "proofs")
ENCODINGS = ("onehot", "ordinal")


def load_plan(path: str | Path) -> Plan:
    """Read an audit file.

    Parameters
    ----------
    path : str or Path
        A TOML file; ``everytree audit --init TRAIN`` writes one to begin with. Paths in it are relative to
        its folder.

    Returns
    -------
    Plan

    Raises
    ------
    AuditError
        If something in it is wrong. The message names the key, what is allowed and what was received.

    Examples
    --------
    >>> from everytree.audit import load_plan, run_audit
    >>> result = run_audit(load_plan("audit.toml"))  # doctest: +SKIP
    """
    path = Path(path)
    if path.name.lower().endswith(SUFFIXES) and path.is_file() and not path.name.endswith(".txt"):
        raise AuditError(
            f"{str(path)!r} is a table, and an audit file, .toml, is needed. Write one for it with: "
            f"everytree audit --init {pasteable([str(path)])}"
        )
    top = TableOfKeys("", _read(path), TOP)
    top.need("data", "It names the tables. Write a first audit with: everytree audit --init TRAIN")
    top.need("bias", "It says what may be wrong with the training table. It is written [[bias]].")
    audit = top.table("audit", AUDIT)
    engine = audit.choice("engine", _engines(), "auto")
    return Plan(
        data=_data(top.table("data", DATA), path.parent),
        sweeps=_sweeps(top.tables("bias", BIAS), engine),
        groups=_groups(audit),
        depths=_depths(audit),
        time_limit=_time_limit(audit),
        n_jobs=_n_jobs(audit),
        title=top.text("title") or "Audit",
        author=top.text("author") or "",
        date=top.text("date") or "",
        outputs=_outputs(top.table("outputs", OUTPUTS), path.parent),
        learner=_learner(top.table("learner", LEARNER)),
        smallest_group=_smallest_group(audit),
        require=read_require(top),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        unclosed = r"Illegal character '\n'" in str(error) or "Unterminated string" in str(error)
        hint = " Is a quote missing?" if unclosed else ""
        raise AuditError(
            f"{str(path)!r} is not a TOML file: {error}.{hint} Texts stand in double quotes, lists in [ ]; "
            "see https://toml.io for the rest."
        ) from error
    except UnicodeDecodeError as error:
        raise AuditError(f"{str(path)!r} is not a TOML file: it is not UTF-8. Save it as UTF-8.") from error
    except OSError as error:
        others = sorted(p.name for p in path.parent.glob("*.toml")) if path.parent.is_dir() else []
        raise AuditError(
            f"The audit file {str(path)!r} cannot be read: {error.strerror or error}."
            f"{nearest(path.name, others)} Write a first one with: everytree audit --init TRAIN"
        ) from error


def _engines() -> tuple[str, ...]:
    return ENGINES


def _data(keys: TableOfKeys, folder: Path) -> Data:
    train = keys.need_text("train", "the training table, a file such as .csv or .parquet, or a data set")
    test, label = keys.text("test"), keys.text("label")
    with naming(keys.name("train")):
        named = is_dataset(train, folder)
    if named and test is not None:
        raise keys.wrong(
            "test", f"the data set {train!r} brings its own people to judge; received {test!r}. Leave it out."
        )
    if not named:
        train = str(folder / train)
        if test is None:
            raise keys.wrong(
                "test", "is needed: the people to judge. It may be the training file again, to judge its own."
            )
        test = str(folder / test)
        if label is None:
            raise keys.wrong("label", f"is needed: the column of {train!r} that the tree predicts.")
    return Data(
        train=train,
        test=test,
        label=label,
        drop=keys.texts("drop"),
        categorical=keys.texts("categorical"),
        encoding=keys.choice("encoding", ENCODINGS, "onehot"),
        positive=keys.label("positive"),
        missing=cast("Way", keys.choice("missing", WAYS, WAYS[0])),
        labels=_label_names(keys),
    )


def _label_names(keys: TableOfKeys) -> dict[str, str]:
    """Read the names of labels, which are found in the label column later."""
    given = keys.values.get("labels", {})
    texts = isinstance(given, dict) and all(isinstance(n, str) and n.strip() for n in given.values())
    if not texts or len(set(given.values())) < len(given):
        raise keys.wrong(
            "labels",
            f'must be a table with another name for each label, such as [data.labels] and below it 0 = "no" '
            f'and 1 = "yes"; received {given!r}.',
        )
    return dict(given)


def _groups(keys: TableOfKeys) -> tuple[tuple[str, ...], ...]:
    allowed = 'must be a list of columns or lists of columns, such as ["sex", ["race", "sex"]]'
    found: list[tuple[str, ...]] = []
    for entry in keys.entries("groups", allowed):
        columns = (entry,) if isinstance(entry, str) else entry
        if not isinstance(columns, list | tuple) or not columns or not _all_texts(columns):
            raise keys.wrong("groups", f"{allowed}; received {entry!r} in it.")
        if len(set(columns)) < len(columns) or tuple(columns) in found:
            raise keys.wrong("groups", f"{entry!r} names something twice. Leave one of them out.")
        found.append(tuple(columns))
    return tuple(found)


def _all_texts(values: list[Any] | tuple[Any, ...]) -> bool:
    return all(isinstance(value, str) for value in values)


def _depths(keys: TableOfKeys) -> tuple[int, ...]:
    allowed = "must be a list of whole numbers of at least 1, such as [1, 2]"
    depths = keys.entries("depths", allowed, (2,))
    if not depths or any(isinstance(d, bool) or not isinstance(d, int) or d < 1 for d in depths):
        raise keys.wrong("depths", f"{allowed}; received {keys.values.get('depths')!r}.")
    if len(set(depths)) < len(depths):
        raise keys.wrong("depths", f"lists a depth twice; received {list(depths)!r}. Leave one of them out.")
    return tuple(depths)


def _learner(keys: TableOfKeys) -> dict[str, Any]:
    """Read settings of the tree, each as scikit-learn names and takes it."""
    if "max_depth" in keys.values:
        raise keys.wrong("max_depth", "the depths of an audit are listed under [audit]: depths = [2].")
    for problem in read_parameters(DecisionTreeClassifier(**keys.values))[1]:
        name, _, words = problem.partition("=")
        raise keys.wrong(name, f"{words} {HOW_IN_FILES}" if name == "class_weight" else words)
    return dict(keys.values)


def _time_limit(keys: TableOfKeys) -> float | None:
    value = keys.values.get("time_limit")
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not (value > 0 and math.isfinite(value)):
        raise keys.wrong(
            "time_limit",
            f"must be a number of seconds greater than 0; received {value!r}. Leave it out for no limit.",
        )
    return float(value)


def _n_jobs(keys: TableOfKeys) -> int:
    value = keys.values.get("n_jobs", 1)
    if isinstance(value, bool) or not isinstance(value, int) or value == 0 or value < -1:
        raise keys.wrong(
            "n_jobs", f"must be a whole number from 1, or -1 for one process a core; received {value!r}."
        )
    return value


def _smallest_group(keys: TableOfKeys) -> int:
    value = keys.values.get("smallest_group", SMALLEST_COMPARED)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise keys.wrong("smallest_group", f"must be a whole number from 1; received {value!r}.")
    return value


def _sweeps(tables: list[TableOfKeys], engine: str) -> tuple[Sweep, ...]:
    sweeps: list[Sweep] = []
    for keys in tables:
        sweep = _sweep(keys, engine)
        if sweep.name in [other.name for other in sweeps]:
            number = 1 + [other.name for other in sweeps].index(sweep.name)
            raise keys.wrong(
                "name",
                f"{sweep.name!r} is also what number {number} is called. Each needs its own name.",
            )
        sweeps.append(sweep)
    return tuple(sweeps)


def _sweep(keys: TableOfKeys, engine: str) -> Sweep:
    model = _model(keys, "model", keys.need_text("model", 'a bias model, such as "flip(?)"'))
    text = keys.text("with")
    second = None if text is None else _model(keys, "with", text)
    if second is not None and not second.has_free_amount:
        raise keys.wrong(
            "with",
            f"must have a free amount ?, for with_amounts to fill; received {text!r}. What never varies "
            f"is written into model: {model} + {second}",
        )
    amounts = _amounts(keys, "amounts", "model", model)
    second_amounts = _amounts(keys, "with_amounts", "with", second)
    engine = keys.choice("engine", _engines(), engine)
    name = keys.text("name") or (str(model) if second is None else f"{model} + {second}")
    return Sweep(name, model, amounts, second, second_amounts, engine, _radius(keys, model, second, engine))


def _model(keys: TableOfKeys, key: str, text: str) -> BiasModel:
    with naming(keys.name(key)):
        return parse(text)


def _amounts(keys: TableOfKeys, key: str, model_key: str, model: BiasModel | None) -> tuple[str, ...]:
    """Read the amounts that fill the ``?`` of a model, each as a bias model writes it."""
    allowed = 'must be a list of amounts, such as [20, "1%", "5% of group"]'
    given = keys.entries(key, allowed)
    if model is None or not model.has_free_amount:
        if key in keys.values:
            what = "there is none" if model is None else f"{str(model)!r} has no ?"
            raise keys.wrong(key, f"fills the ? of {model_key}, but {what}. Leave it out, or write a ?.")
        return ()
    if not given:
        raise keys.wrong(key, f"{allowed}: {model_key} is {str(model)!r}, and these fill its ?.")
    amounts: list[str] = []
    for entry in given:
        try:
            amount = Amount.of(entry)
        except BiasError as error:
            remedy = " Lower it, or write a number of rows without the %." if "%" in str(entry) else ""
            raise keys.wrong(key, f"{error}{remedy}") from error
        if amount.unit == "free":
            raise keys.wrong(key, f"{allowed}; received '?' in it, which fills nothing.")
        if str(amount) in amounts:
            raise keys.wrong(key, f"lists {str(amount)!r} twice. Leave one of them out.")
        amounts.append(str(amount))
    return tuple(amounts)


def _radius(keys: TableOfKeys, model: BiasModel, second: BiasModel | None, engine: str) -> bool:
    reason = why_no_radius(model, second, engine)
    wanted = keys.flag("radius", not reason)
    if wanted and reason:
        raise keys.wrong("radius", reason)
    return wanted


def _outputs(keys: TableOfKeys, base: Path) -> Outputs:
    def path(key: str) -> Path | None:
        text = keys.text(key)
        return None if text is None else base / text

    columns = keys.texts("columns") if "columns" in keys.values else None
    folder = path("folder") or base / "audit-results"
    files = {key: path(key) for key in OUTPUT_FILES}
    return Outputs(folder, columns=columns, proofs=keys.flag("proofs", False), **files)

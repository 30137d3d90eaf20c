"""Options that several commands share, and the names they may take: one spelling and one text for each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everytree.errors import EverytreeError
from everytree.support.text import as_number, listing, nearest

if TYPE_CHECKING:
    from everytree.cli.preparing import Patience, Setup


def _one_of(option: str, *names: str, words: str) -> Any:
    """An option that takes one of some names; the mistake is worded as everywhere."""

    def read(text: str) -> str:
        if text in names:
            return text
        raise EverytreeError(
            f"{option} must be one of {listing(names)}; received {text!r}.{nearest(text, names)}"
        )

    return typer.Option(option, parser=read, metavar="|".join(names), help=words)


def _whole(option: str, metavar: str, words: str) -> Any:
    """An option that takes a whole number; which numbers make sense is for the command to say."""

    def read(text: str | int) -> int:
        number = as_number(str(text))
        if isinstance(number, int):
            return number
        raise EverytreeError(f"{option} must be a whole number; received {text!r}.")

    return typer.Option(option, parser=read, metavar=metavar, help=words)


SECONDS, NO_LIMIT = 60.0, float("inf")
"""When a search stops unless told otherwise, and what `--time-limit none` asks for."""


def _seconds(words: str) -> Any:
    """A number of seconds, or none for no limit."""

    def read(text: str | float) -> float:
        number = NO_LIMIT if str(text).casefold() == "none" else as_number(str(text))
        if not isinstance(number, str) and number > 0:
            return float(number)
        raise EverytreeError(
            f"--time-limit must be a number of seconds greater than 0, or none for no limit; received {text}."
        )

    return typer.Option("--time-limit", parser=read, metavar="SECONDS", help=words)


TRAIN = (
    "Training table: a .csv, .parquet, .feather, .xlsx or .arff file, - for standard input, or the name of a "
    "data set (see everytree datasets)."
)
BIAS = 'What may be wrong with the training table, such as "flip(1%)" or "miss(20, where sex == \'Female\')".'

TrainArgument = Annotated[str, typer.Argument(help=TRAIN, metavar="TRAIN")]
TestArgument = Annotated[
    str | None,
    typer.Argument(help="Table of the people to judge; a named data set brings its own.", metavar="TEST"),
]
BiasOption = Annotated[str, typer.Option("--bias", help=BIAS)]
LabelOption = Annotated[
    str | None, typer.Option("--label", help="Label column; a named data set knows its own.")
]
DropOption = Annotated[
    list[str] | None, typer.Option("--drop", help="Column that the tree must not see; may be repeated.")
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option("--categorical", help="Column whose numbers are codes of categories; may be repeated."),
]
EncodingOption = Annotated[
    str, _one_of("--encoding", "onehot", "ordinal", words="How categories become numbers.")
]
EngineOption = Annotated[str, _one_of("--engine", "auto", "relational", "interval", words="How to prove.")]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        help="Column to count people by, or bands of one: 'age by 25,45,65'. Several give intersections.",
    ),
]
TimeOption = Annotated[float, _seconds("When the search stops; none for no limit.")]
LongTimeOption = Annotated[
    float | None, _seconds("When the search stops; it takes as long as it takes unless this is given.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory-limit", help="Working memory of the search, such as 500MB; none.", metavar="SIZE"),
]
JobsOption = Annotated[int, _whole("--n-jobs", "N", "Threads that share the people; -1 for one a core.")]
JsonOption = Annotated[
    str | None, typer.Option("--json", help="Write everything to this .json file; - is standard output.")
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", help="Write one line for each person to this .csv file.")
]
ProofOption = Annotated[
    Path | None,
    typer.Option(
        "--proof", help="Write the proofs to this .proof file, for everytree verify.", metavar="FILE"
    ),
]
ProofArgument = Annotated[Path, typer.Argument(help="A file that certify --proof wrote.", metavar="FILE")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no summary and no progress.")]
SummaryOption = Annotated[
    str | None, typer.Option("--json", help="Write the summary to this .json file; - is standard output.")
]
PositiveOption = Annotated[
    str | None, typer.Option("--positive", help="Label that counts as being selected; the last one.")
]
SmallestOption = Annotated[
    int, _whole("--smallest-group", "N", "Groups of fewer people are shown, but not compared.")
]
MetricsOption = Annotated[
    Path | None, typer.Option("--csv", help="Write one line for each metric and group to this .csv file.")
]

RequireOption = Annotated[
    str | None,
    typer.Option("--require-robust", help="Exit with 1 if fewer people are proved robust.", metavar="SHARE"),
]

PersonOption = Annotated[
    list[int], _whole("--person", "N", "Position in TEST, counted from 0; may be repeated.")
]
OnePersonOption = Annotated[int, _whole("--person", "N", "Position in TEST, counted from 0.")]
MostOption = Annotated[int | None, _whole("--max-amount", "N", "Largest number of records to look at.")]

# Of `audit` alone.
AuditArgument = Annotated[Path | None, typer.Argument(help="The audit, a .toml file.", metavar="AUDIT.TOML")]
InitOption = Annotated[
    str | None,
    typer.Option("--init", help="Write a first audit of this training table, then stop.", metavar="TRAIN"),
]
InitTestOption = Annotated[
    str | None, typer.Option("--test", help="With --init: the table of the people to judge.")
]
InitLabelOption = Annotated[str | None, typer.Option("--label", help="With --init: the label column.")]
OutputOption = Annotated[Path, typer.Option("--output", help="With --init: the file to write.")]
NoRequireOption = Annotated[str | None, typer.Option("--require-robust", hidden=True)]
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", help="Compute on the workers of this Dask scheduler.", metavar="ADDRESS"),
]

# Of `reproduce` alone.
TableOption = Annotated[
    str | None,
    _one_of(
        "--table", "rates", "depth", "all", words="Which table of the paper; all unless --figure is given."
    ),
]
FigureOption = Annotated[
    str | None,
    _one_of("--figure", "demographics", "appendix", "all", words="A demographic figure in place of tables."),
]
DatasetOption = Annotated[
    list[str] | None, typer.Option("--dataset", help="Only this data set; may be repeated.")
]
ColumnsOption = Annotated[
    str | None,
    _one_of("--engine", "interval", "relational", "both", words="Columns of our own in tables; both."),
]
CellsOption = Annotated[
    Path | None, typer.Option("--csv", help="Write one line for each cell, or group and amount, here.")
]
MarkdownOption = Annotated[Path | None, typer.Option("--markdown", help="Write the tables to this .md file.")]
PicturesOption = Annotated[
    Path | None, typer.Option("--pictures", help="Draw each panel of a figure into this folder, as SVG.")
]
CellTimeOption = Annotated[float, _seconds("Seconds for each cell or amount, and engine.")]

# Which tree is learned: of every command that learns one.
Given = dict[str, Any]
"""Options as they were given, by name; None where they were left out."""

LEARNER: Given = {
    "depth": Annotated[
        str | None,
        typer.Option(
            "--depth", "--max-depth", help="Largest depth of the tree; none for no limit.", metavar="D"
        ),
    ],
    "criterion": Annotated[
        str | None, typer.Option("--criterion", help="How splits are compared.", metavar="NAME")
    ],
    "min_samples_leaf": Annotated[
        str | None, typer.Option("--min-samples-leaf", help="Rows of a leaf, or their share.", metavar="N")
    ],
    "min_samples_split": Annotated[
        str | None,
        typer.Option("--min-samples-split", help="Rows of a split node, or their share.", metavar="N"),
    ],
    "max_leaf_nodes": Annotated[
        str | None, typer.Option("--max-leaf-nodes", help="Largest number of leaves.", metavar="N")
    ],
    "min_impurity_decrease": Annotated[
        str | None, typer.Option("--min-impurity-decrease", help="What a split must gain.", metavar="X")
    ],
    "ccp_alpha": Annotated[
        str | None, typer.Option("--ccp-alpha", help="Price of a leaf when the tree is pruned.", metavar="X")
    ],
    "class_weight": Annotated[
        str | None,
        typer.Option(
            "--class-weight",
            help="What a row of each label counts: balanced, or such as 0=1,1=5 (also as JSON).",
            metavar="WEIGHTS",
        ),
    ],
    "model": Annotated[
        Path | None,
        typer.Option(
            "--model",
            help="Saved estimator in place of these settings. Its code is run: only files that you trust.",
            metavar="FILE",
        ),
    ],
    "missing": Annotated[
        str | None,
        _one_of(
            "--missing",
            "learn",
            "impute",
            "category",
            words="What becomes of missing values. Default: learn.",
        ),
    ],
}


def with_learner(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `LEARNER` in place of its parameter `learner`, which gets them all."""

    @wraps(command)
    def run(**given: Any) -> None:
        learner = {name: given.pop(name) for name in LEARNER}
        command(**given, learner=learner)

    signature = inspect.signature(command, eval_str=True)
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in LEARNER.items()
    ]
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        own = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        parameters += options if parameter.name == "learner" else [own]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def as_setup(
    train: str,
    test: str | None,
    learner: Given,
    label: str | None,
    drop: list[str] | None,
    categorical: list[str] | None,
    encoding: str,
) -> Setup:
    """Put the options of a command together that say what is learned from which tables."""
    from everytree.cli.preparing import Setup
    from everytree.cli.trees import Tree

    columns = tuple(drop or ()), tuple(categorical or ())
    return Setup(train, test, Tree(**learner), label, *columns, encoding)


def as_patience(time_limit: float | None, memory_limit: str | None, n_jobs: int) -> Patience:
    """Put the options of a command together that say how much a search may take."""
    from everytree.cli.preparing import Patience

    memory = None if (memory_limit or "none").strip().casefold() == "none" else memory_limit
    return Patience(None if time_limit == NO_LIMIT else time_limit, memory, n_jobs)

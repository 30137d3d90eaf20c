"""Options that several commands share, and the names they may take: one spelling and one text for each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from everytree.cli.preparing import Patience, Setup


class EngineName(StrEnum):
    """Ways to prove."""

    AUTO = "auto"
    RELATIONAL = "relational"
    INTERVAL = "interval"


class EncodingName(StrEnum):
    """Ways to turn categories into numbers."""

    ONEHOT = "onehot"
    ORDINAL = "ordinal"


class MissingName(StrEnum):
    """What becomes of missing values."""

    LEARN = "learn"
    IMPUTE = "impute"
    CATEGORY = "category"


class TableName(StrEnum):
    """Tables of the paper."""

    RATES = "rates"
    DEPTH = "depth"
    ALL = "all"


class FigureName(StrEnum):
    """Demographic figures of the paper."""

    DEMOGRAPHICS = "demographics"
    APPENDIX = "appendix"
    ALL = "all"


class ColumnName(StrEnum):
    """Columns of our own beside the paper's."""

    INTERVAL = "interval"
    RELATIONAL = "relational"
    BOTH = "both"


TRAIN = (
    "Training table: a .csv, .parquet, .feather, .xlsx or .arff file, - for standard input, or the name of a "
    "data set (see everytree datasets)."
)
BIAS = 'What may be wrong with it, such as "flip(1%)" or "miss(20, where sex == \'Female\')".'

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
EncodingOption = Annotated[EncodingName, typer.Option(help="How categories become numbers.")]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        help="Column to count people by, or bands of one: 'age by 25,45,65'. Several give intersections.",
    ),
]
TimeOption = Annotated[
    float | None, typer.Option("--time-limit", help="Seconds after which the search stops.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory-limit", help="Working memory of the search, such as 500MB.", metavar="SIZE"),
]
JobsOption = Annotated[
    int, typer.Option("--n-jobs", help="Threads that share the people; -1 for one a core.")
]
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
    int, typer.Option("--smallest-group", help="Groups of fewer people are shown, but not compared.")
]
MetricsOption = Annotated[
    Path | None, typer.Option("--csv", help="Write one line for each metric and group to this .csv file.")
]

RequireOption = Annotated[
    str | None,
    typer.Option("--require-robust", help="Exit with 1 if fewer people are proved robust.", metavar="SHARE"),
]

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
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", help="Compute on the workers of this Dask scheduler.", metavar="ADDRESS"),
]

# Of `reproduce` alone.
TableOption = Annotated[
    TableName | None, typer.Option(help="Which of the paper's tables; all unless a figure is chosen.")
]
FigureOption = Annotated[
    FigureName | None, typer.Option(help="A demographic figure of the paper in place of tables.")
]
DatasetOption = Annotated[
    list[str] | None, typer.Option("--dataset", help="Only this data set; may be repeated.")
]
ColumnsOption = Annotated[
    ColumnName | None,
    typer.Option(help="Which columns of our own to compute for tables; both by default."),
]
CellsOption = Annotated[
    Path | None, typer.Option("--csv", help="Write one line for each cell, or group and amount, here.")
]
MarkdownOption = Annotated[Path | None, typer.Option("--markdown", help="Write the tables to this .md file.")]
PicturesOption = Annotated[
    Path | None, typer.Option("--pictures", help="Draw each panel of a figure into this folder, as SVG.")
]
CellTimeOption = Annotated[
    float, typer.Option("--time-limit", help="Seconds for each cell or amount, and engine.")
]

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
        MissingName | None,
        typer.Option("--missing", help="What becomes of missing values. Default: learn."),
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
    encoding: EncodingName,
) -> Setup:
    """Put the options of a command together that say what is learned from which tables."""
    from everytree.cli.preparing import Setup
    from everytree.cli.trees import Tree

    columns = tuple(drop or ()), tuple(categorical or ())
    return Setup(train, test, Tree(**learner), label, *columns, encoding.value)


def as_patience(time_limit: float | None, memory_limit: str | None, n_jobs: int) -> Patience:
    """Put the options of a command together that say how much a search may take."""
    from everytree.cli.preparing import Patience

    return Patience(time_limit, memory_limit, n_jobs)

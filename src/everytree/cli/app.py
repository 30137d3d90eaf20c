"""The commands and their options, nothing else; each hands over to a module of its own when it is called."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app"]


class EngineName(StrEnum):
    """Ways to prove."""

    AUTO = "auto"
    RELATIONAL = "relational"
    INTERVAL = "interval"


class EncodingName(StrEnum):
    """Ways to turn categories into numbers."""

    ONEHOT = "onehot"
    ORDINAL = "ordinal"


class TableName(StrEnum):
    """Tables of the paper."""

    RATES = "rates"
    DEPTH = "depth"
    ALL = "all"


class ColumnName(StrEnum):
    """Columns of our own beside the paper's."""

    INTERVAL = "interval"
    RELATIONAL = "relational"
    BOTH = "both"


TRAIN = "Training table: a .csv, .parquet or .arff file, or the name of a data set (see everytree datasets)."
BIAS = 'What may be wrong with it, such as "flip(1%)" or "miss(20, where sex == \'Female\')".'

app = typer.Typer(
    name="everytree",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Prove which predictions of a decision tree survive biased training data.",
    epilog="New here? Try: everytree demo",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from everytree import __version__

        typer.echo(f"everytree {__version__}")
        raise typer.Exit


@app.callback()
def _everytree(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Prove which predictions of a decision tree survive biased training data."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@app.command()
def certify(
    train: Annotated[str, typer.Argument(help=TRAIN, metavar="TRAIN")],
    test: Annotated[
        str | None,
        typer.Argument(help="Table of the people to judge; a named data set brings its own.", metavar="TEST"),
    ] = None,
    bias: Annotated[str, typer.Option("--bias", help=BIAS)] = ...,  # type: ignore[assignment]
    depth: Annotated[int, typer.Option("--depth", help="Largest depth of the tree.")] = ...,  # type: ignore[assignment]
    label: Annotated[
        str | None, typer.Option("--label", help="Label column; a named data set knows its own.")
    ] = None,
    engine: Annotated[EngineName, typer.Option(help="How to prove.")] = EngineName.AUTO,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="Column that the tree must not see; may be repeated.")
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option("--categorical", help="Column whose numbers are codes of categories; may be repeated."),
    ] = None,
    encoding: Annotated[
        EncodingName, typer.Option(help="How categories become numbers.")
    ] = EncodingName.ONEHOT,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", help="Column to count people by; several give their intersections."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds after which the search stops.")
    ] = None,
    memory_limit: Annotated[
        float | None, typer.Option("--memory-limit", help="Megabytes of working memory for the search.")
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", help="Write everything to this .json file; - is standard output.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write one line for each person to this .csv file.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no summary and no progress.")] = False,
) -> None:
    """Prove for each person of TEST that bias of the given kind cannot change the prediction."""
    from everytree.cli import certifying

    certifying.run(
        certifying.Request(
            train=train,
            test=test,
            bias=bias,
            depth=depth,
            label=label,
            engine=engine.value,
            drop=tuple(drop or ()),
            categorical=tuple(categorical or ()),
            encoding=encoding.value,
            groups=tuple(group or ()),
            time_limit=time_limit,
            memory_limit=memory_limit,
            json=json,
            csv=csv,
            quiet=quiet,
        )
    )


@app.command()
def explain(
    bias: Annotated[str, typer.Argument(help=BIAS, metavar="BIAS")],
    train: Annotated[str, typer.Argument(help=TRAIN, metavar="TRAIN")],
    label: Annotated[
        str | None, typer.Option("--label", help="Label column; a named data set knows its own.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="Column that the tree must not see; may be repeated.")
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", help="Write it to this .json file; - is standard output.")
    ] = None,
) -> None:
    """Say what a bias model means on a table: in words, in rows, in numbers of tables."""
    from everytree.cli import explaining

    explaining.run(bias, train, label, tuple(drop or ()), json)


@app.command()
def demo() -> None:
    """Show on bundled data what everytree finds out."""
    from everytree.cli import demonstration

    demonstration.run()


@app.command()
def datasets() -> None:
    """List the data sets that can be named in place of files."""
    from everytree.cli import listing_datasets

    listing_datasets.run()


@app.command()
def reproduce(
    table: Annotated[TableName, typer.Option(help="Which of the paper's tables.")] = TableName.ALL,
    dataset: Annotated[
        list[str] | None, typer.Option("--dataset", help="Only this data set; may be repeated.")
    ] = None,
    engine: Annotated[
        ColumnName, typer.Option(help="Which columns of our own to compute.")
    ] = ColumnName.BOTH,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write one line for each cell here.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write the tables to this .md file.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds for each cell and engine.")
    ] = 60.0,
) -> None:
    """Compute the tables of the paper again and show them beside the paper's own numbers."""
    from everytree.cli import reproducing

    reproducing.run(table.value, tuple(dataset or ()), engine.value, csv, markdown, time_limit)

"""The commands and their options, nothing else; each hands over to a module of its own when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from everytree.cli.options import (
    BIAS,
    SECONDS,
    AuditArgument,
    BiasOption,
    CategoricalOption,
    CellsOption,
    CellTimeOption,
    ColumnsOption,
    CsvOption,
    DaskOption,
    DatasetOption,
    DropOption,
    EncodingOption,
    EngineOption,
    FigureOption,
    Given,
    GroupOption,
    InitLabelOption,
    InitOption,
    InitTestOption,
    JobsOption,
    JsonOption,
    LabelOption,
    LongTimeOption,
    MarkdownOption,
    MemoryOption,
    MetricsOption,
    MostOption,
    NoRequireOption,
    OnePersonOption,
    OutputOption,
    PersonOption,
    PicturesOption,
    PositiveOption,
    ProofArgument,
    ProofOption,
    QuietOption,
    RequireOption,
    SmallestOption,
    SummaryOption,
    TableOption,
    TestArgument,
    TimeOption,
    TrainArgument,
    as_patience,
    as_setup,
    with_learner,
)
from everytree.support.version import VERSION

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
        typer.echo(f"everytree {VERSION}")
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
@with_learner
def certify(
    train: TrainArgument,
    test: TestArgument = None,
    bias: BiasOption = ...,  # type: ignore[assignment]
    learner: Given = ...,  # type: ignore[assignment]
    label: LabelOption = None,
    engine: EngineOption = "auto",
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "onehot",
    group: GroupOption = None,
    time_limit: TimeOption = SECONDS,
    memory_limit: MemoryOption = None,
    n_jobs: JobsOption = 1,
    json: JsonOption = None,
    csv: CsvOption = None,
    proof: ProofOption = None,
    quiet: QuietOption = False,
    require_robust: RequireOption = None,
) -> None:
    """Prove for each person of TEST that bias of the given kind cannot change the prediction."""
    from everytree.cli import certify as certifying

    certifying.run(
        certifying.Request(
            setup=as_setup(train, test, learner, label, drop, categorical, encoding),
            bias=bias,
            engine=engine,
            groups=tuple(group or ()),
            patience=as_patience(time_limit, memory_limit, n_jobs),
            json=json,
            csv=csv,
            proof=proof,
            quiet=quiet,
            require_robust=require_robust,
        )
    )


@app.command()
@with_learner
def metrics(
    train: TrainArgument,
    test: TestArgument = None,
    bias: BiasOption = ...,  # type: ignore[assignment]
    learner: Given = ...,  # type: ignore[assignment]
    label: LabelOption = None,
    positive: PositiveOption = None,
    smallest_group: SmallestOption = 30,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "onehot",
    group: GroupOption = None,
    time_limit: TimeOption = SECONDS,
    memory_limit: MemoryOption = None,
    n_jobs: JobsOption = 1,
    json: JsonOption = None,
    csv: MetricsOption = None,
) -> None:
    """Bound accuracy, rates and differences between groups over all tables of the bias model."""
    from everytree.cli import metrics as bounding

    bounding.run(
        bounding.Request(
            setup=as_setup(train, test, learner, label, drop, categorical, encoding),
            bias=bias,
            positive=positive,
            smallest_group=smallest_group,
            groups=tuple(group or ()),
            patience=as_patience(time_limit, memory_limit, n_jobs),
            json=json,
            csv=csv,
        )
    )


@app.command()
@with_learner
def witness(
    train: TrainArgument,
    test: TestArgument = None,
    person: PersonOption = ...,  # type: ignore[assignment]
    bias: BiasOption = ...,  # type: ignore[assignment]
    learner: Given = ...,  # type: ignore[assignment]
    label: LabelOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "onehot",
    time_limit: TimeOption = SECONDS,
    memory_limit: MemoryOption = None,
    n_jobs: JobsOption = 1,
    write: Annotated[
        Path | None,
        typer.Option("--write", help="Write the changed training table to this .csv or .parquet file."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Show the records whose change, within the bias model, gives a person another label."""
    from everytree.cli import witness as witnessing

    witnessing.run(
        witnessing.Request(
            setup=as_setup(train, test, learner, label, drop, categorical, encoding),
            bias=bias,
            people=tuple(person),
            patience=as_patience(time_limit, memory_limit, n_jobs),
            write=write,
            json=json,
        )
    )


@app.command()
@with_learner
def radius(
    train: TrainArgument,
    test: TestArgument = None,
    family: Annotated[
        str, typer.Option("--family", "--bias", help='Bias model with a free amount ?, such as "flip(?)".')
    ] = ...,  # type: ignore[assignment]
    learner: Given = ...,  # type: ignore[assignment]
    label: LabelOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "onehot",
    max_amount: MostOption = None,
    group: GroupOption = None,
    time_limit: LongTimeOption = None,
    memory_limit: MemoryOption = None,
    n_jobs: JobsOption = 1,
    json: JsonOption = None,
    csv: CsvOption = None,
) -> None:
    """Find out how many records must change before the prediction of each person does."""
    from everytree.cli import radius as measuring

    measuring.run(
        measuring.Request(
            setup=as_setup(train, test, learner, label, drop, categorical, encoding),
            family=family,
            max_amount=max_amount,
            groups=tuple(group or ()),
            patience=as_patience(time_limit, memory_limit, n_jobs),
            json=json,
            csv=csv,
        )
    )


@app.command()
@with_learner
def check(
    train: TrainArgument,
    test: TestArgument = None,
    person: OnePersonOption = ...,  # type: ignore[assignment]
    bias: BiasOption = ...,  # type: ignore[assignment]
    learner: Given = ...,  # type: ignore[assignment]
    label: LabelOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "onehot",
) -> None:
    """Derive the proof for one person again: slowly, in whole numbers, without the engine's code."""
    from everytree.cli import check as checking

    checking.run(as_setup(train, test, learner, label, drop, categorical, encoding), bias, person)


@app.command()
def verify(
    file: ProofArgument,
    train: TrainArgument,
    test: TestArgument = None,
    label: LabelOption = None,
) -> None:
    """Verify a proof file against the tables that it is about, without the code of the provers."""
    from everytree.cli import verify as verifying

    raise typer.Exit(verifying.run(file, train, test, label))


@app.command()
def explain(
    bias: Annotated[str, typer.Argument(help=BIAS, metavar="BIAS")],
    train: TrainArgument,
    label: LabelOption = None,
    drop: DropOption = None,
    json: JsonOption = None,
) -> None:
    """Say what a bias model means on a table: in words, in rows, in numbers of tables."""
    from everytree.cli import explain as explaining

    explaining.run(bias, train, label, tuple(drop or ()), json)


@app.command()
def audit(
    file: AuditArgument = None,
    init: InitOption = None,
    test: InitTestOption = None,
    label: InitLabelOption = None,
    output: OutputOption = Path("audit.toml"),
    dask: DaskOption = None,
    json: SummaryOption = None,
    quiet: QuietOption = False,
    require_robust: NoRequireOption = None,
) -> None:
    """Run an audit: many bias models, amounts and depths, kept as they finish, with groups and a report."""
    from everytree.cli import audit as auditing

    if require_robust is not None:
        auditing.refuse_require(file, require_robust)
    if init is not None:
        auditing.begin(file, init, test, label, output)
    else:
        auditing.run(auditing.Request(file, dask, json, quiet), test, label)


@app.command()
def demo() -> None:
    """Show on bundled data what everytree finds out."""
    from everytree.prove import ahead

    ahead.begin()
    from everytree.cli import demo as demonstration

    demonstration.run()


@app.command()
def datasets() -> None:
    """List the data sets that can be named in place of files."""
    from everytree.cli import datasets as listing_datasets

    listing_datasets.run()


@app.command()
def reproduce(
    table: TableOption = None,
    figure: FigureOption = None,
    dataset: DatasetOption = None,
    engine: ColumnsOption = None,
    csv: CellsOption = None,
    markdown: MarkdownOption = None,
    pictures: PicturesOption = None,
    time_limit: CellTimeOption = 60.0,
) -> None:
    """Compute tables or figures of the paper again and show them beside the paper's own numbers."""
    from everytree.cli import reproduce as reproducing

    request = reproducing.Request(
        table, figure, tuple(dataset or ()), engine, csv, markdown, pictures, time_limit=time_limit
    )
    reproducing.run(request)

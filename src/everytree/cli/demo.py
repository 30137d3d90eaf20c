"""`everytree demo`: the main job on bundled data, for somebody who has just installed everytree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from sklearn.tree import DecisionTreeClassifier

from everytree.bias import explain, parse, resolve
from everytree.cli.preparing import Setup
from everytree.cli.screen import Report, console, notes, plain_table, show_groups, show_verdicts, sign_of_life
from everytree.cli.trees import Tree
from everytree.datasets import load
from everytree.learner import prepare
from everytree.questions.certify import certify_prepared
from everytree.support.limits import NO_LIMITS
from everytree.table import training_table

if TYPE_CHECKING:
    from rich.console import Console

    from everytree.datasets import Dataset
    from everytree.results.certification import CertificationResult

__all__ = ["run"]

DEPTH = 1
HIRING_BIAS = 'flip(1, where race == "Black" and label == 0)'
MORE_BIAS = "flip(1)"
PERSON = 3
"""An applicant whose prediction rests on a single record."""

COMPAS_BIAS = 'flip(1%, where race == "African-American" and label == 1)'
COMPAS_GROUP = "race"


def run() -> None:
    """Show two findings and what to try next."""
    screen = console()
    with notes(screen), sign_of_life(screen) as report:
        _show_hiring(screen, report)
        _show_compas(screen, report)
    _show_next(screen)


def _show_hiring(screen: Console, report: Report) -> None:
    data = load("hiring")
    first = _certify(data, HIRING_BIAS, report)
    second = _certify(data, MORE_BIAS, report)
    _heading(screen, "1. Nine applicants, a test score, and who was hired")
    table = plain_table(["race", "score", "hired", "tree says", "one rejection wrong", "any one label wrong"])
    for place, (race, score) in enumerate(zip(data.X_train["race"], data.X_train["score"], strict=True)):
        hired = _yes(data.y_train[place])
        table.add_row(
            race,
            str(score),
            hired,
            _yes(first.predictions[place]),
            first.verdicts[place],
            second.verdicts[place],
        )
    screen.print(table)
    screen.print()
    low, high = first.probability_ranges[-1, 1]
    _say(
        screen,
        f"Suppose one Black applicant was rejected wrongly: {HIRING_BIAS}",
        "robust: proved. Whoever it was, every tree that could be learned from the corrected table says the "
        f"same about this person. In the leaf of score 9, {low:.0%} to {high:.0%} would have been hired.",
        f"Now suppose that any one of the nine labels is wrong: {MORE_BIAS}",
        f"not robust: a witness was found, and a tree was trained on it to be sure. {_witness(data, second)}",
        "unknown: neither a proof nor a witness was found. It does not occur here.",
    )


def _witness(data: Dataset, result: CertificationResult) -> str:
    """Say in words which single label changes the prediction of one person."""
    witness = result.witness(PERSON)
    ((row, label),) = witness.flipped.items()
    score = data.X_train["score"]
    return (
        f"The applicant with score {data.X_test['score'].iloc[PERSON]} gets {_yes(witness.after)!r} instead "
        f"of {_yes(witness.before)!r} if the record with score {score.iloc[row]} says {_yes(label)!r} "
        f"instead of {_yes(data.y_train.iloc[row])!r}."
    )


def _show_compas(screen: Console, report: Report) -> None:
    data = load("compas")
    result = _certify(data, COMPAS_BIAS, report)
    table = training_table(data.X_train, data.y_train, label_name=data.label)
    model = parse(COMPAS_BIAS)
    resolved = resolve(model, table)
    size = explain(model, resolved, table).size_in_words
    _heading(screen, f"2. COMPAS: {len(data.X_train)} people to learn from, {len(result)} to judge")
    _say(
        screen,
        f"The label says who was charged again within two years. Suppose that up to {resolved.flips} Black "
        f"people in the data were charged wrongly, and nobody knows who. That makes {size}; each proof "
        "covers all trees learned from any of them.",
    )
    show_verdicts(
        screen, result, Setup("compas", None, Tree(depth=str(DEPTH))).command("witness", COMPAS_BIAS)
    )
    screen.print()
    show_groups(screen, result.by_group(COMPAS_GROUP))


def _certify(data: Dataset, bias: str, report: Report) -> CertificationResult:
    tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=0)
    prepared = prepare(
        tree, data.X_train, data.y_train, data.X_test, y_test=data.y_test, label_name=data.label
    )
    return certify_prepared(prepared, parse(bias), engine="auto", limits=NO_LIMITS, progress=report)


def _show_next(screen: Console) -> None:
    _heading(screen, "Next")
    again = f"everytree certify compas --bias '{COMPAS_BIAS}' --depth {DEPTH} --group {COMPAS_GROUP}"
    commands = {
        "The second finding again:": again,
        "The records that change a prediction:": (
            f'everytree witness hiring --bias "{MORE_BIAS}" --depth {DEPTH} --person {PERSON}'
        ),
        "How many records must change:": (
            f'everytree radius compas --family "flip(?)" --depth {DEPTH} --group {COMPAS_GROUP}'
        ),
        "The same on your own files:": (
            'everytree certify train.csv test.csv --label COLUMN --bias "flip(1%)" --depth 2 --group COLUMN'
        ),
        "A whole audit of your own files, with a report:": (
            "everytree audit --init train.csv --test test.csv --label COLUMN"
        ),
    }
    for words, command in commands.items():
        screen.print(words, soft_wrap=True)
        screen.print(f"  {escape(command)}", soft_wrap=True)


def _heading(screen: Console, words: str) -> None:
    screen.print(f"\n[bold]{escape(words)}[/bold]\n", soft_wrap=True)


def _say(screen: Console, *paragraphs: str) -> None:
    for words in paragraphs:
        screen.print(escape(words) + "\n")


def _yes(label: object) -> str:
    return "yes" if label == 1 else "no"

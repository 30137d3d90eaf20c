"""The strongest attack of the library on everybody whom it proves, on ordinary trees, for as long as asked.

Settings are those of `benchmarks.unknown`. Whoever was proved is attacked as if nothing were known, with one
seed after the other; a person who falls is a wrong proof. Ends with code 1 then.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from benchmarks.common import note, show, write_csv
from benchmarks.unknown import Case, chosen, load_table, warm_up


def besiege(case: Case, time_limit: float, seconds: float) -> dict[str, Any] | None:
    """Certify one setting and attack the people who are proved; None if nobody is."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify
    from everytree.bias import as_bias, resolve
    from everytree.learner import prepare
    from everytree.prove.problem import People, Problem
    from everytree.refute.attacks import Attack
    from everytree.refute.judge import Judge

    X, y, people = load_table(case.table)
    tree = DecisionTreeClassifier(max_depth=case.depth, random_state=0)
    robust = np.flatnonzero(
        certify(tree, X, y, people, case.bias, time_limit=time_limit).verdicts == "robust"
    )
    if len(robust) == 0:
        return None
    prepared = prepare(tree, X, y, people)
    resolved = resolve(as_bias(case.bias), prepared.train)
    problem = Problem.of(prepared.train, resolved, prepared.learner.settings, people=prepared.test.X)
    some = People(prepared.test.X[robust], prepared.predictions[robust])
    judge = Judge(problem, prepared.learner.new_tree, some, prepared.test.frame.iloc[robust])
    end, seed = time.perf_counter() + seconds, 0
    while time.perf_counter() < end and judge.open.any():
        seed += 1
        for _ in Attack(problem, judge, seed=seed).run():
            if time.perf_counter() > end:
                break
    return {
        "table": case.table,
        "depth": "none" if case.depth is None else str(case.depth),
        "bias": case.bias,
        "proved": len(robust),
        "seeds": seed,
        "trainings": judge.retrained,
        "fallen": len(judge.witnesses),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege", description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=90.0, help="seconds of attack on each setting")
    parser.add_argument("--time-limit", type=float, default=45.0, help="seconds to certify a whole table")
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose description has one of these")
    parser.add_argument("--csv", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warm_up()
    rows = []
    for case in chosen(options.only):
        row = besiege(case, options.time_limit, options.seconds)
        if row is None:
            note(f"{case}: nobody is proved")
            continue
        note(f"{case}: {row['fallen']} of {row['proved']} fell, {row['trainings']} trainings")
        rows.append(row)
    show(rows)
    write_csv(options.csv, rows)
    if any(row["fallen"] for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

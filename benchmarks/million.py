"""One million rows: cost of certifying 500 people in multiples of one training, and working memory.

The table is made from the paper's Adult table (32,561 rows, 14 columns). Rows are drawn with replacement,
each with its label. Then the continuous columns get noise, so that they have about as many different values
as real measurements of a million people would have:

* age, hours_per_week: uniform noise in [-0.5, 0.5);
* fnlwgt: uniform noise in [-50, 50);
* capital_gain, capital_loss: uniform noise in [-0.5, 0.5) where the value is not 0; zeros stay 0.

Noise is a multiple of 2 ** -20, because scikit-learn takes values closer than 1e-7 for equal and everytree
refuses such tables. Columns that number categories (workclass, education, education_num, married,
occupation, relationship, native_country) and the 0/1 columns stay as they are. The matrix is float32. The
people are the paper's 500 test rows.

Time and memory are measured in separate fresh processes that read the finished table from a file. Working
memory is the growth of peak resident memory during the call: imports, compiled code (one call on a small
table comes first) and the table itself are there before and do not count.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import in_fresh_process, note, require_paper_tables, show, write_csv

RATIO_TARGET, MEMORY_TARGET = 8.0, 6.0
NOISE = {"age": 0.5, "hours_per_week": 0.5, "fnlwgt": 50.0}
NOISE_UNLESS_ZERO = {"capital_gain": 0.5, "capital_loss": 0.5}
GRID = 2.0**20


def make_table(rows: int, seed: int, folder: Path) -> None:
    """Write X.npy, y.npy and people.npy; runs in a child process."""
    import numpy as np

    from everytree.datasets import load_paper

    data, rng = load_paper("adult"), np.random.default_rng(seed)
    drawn = rng.integers(len(data.X_train), size=rows)
    X = data.X_train.to_numpy(np.float64)[drawn]
    for name, width in (NOISE | NOISE_UNLESS_ZERO).items():
        column = data.X_train.columns.get_loc(name)
        noise = np.round(rng.uniform(-width, width, rows) * GRID) / GRID
        if name in NOISE_UNLESS_ZERO:
            noise[X[:, column] == 0] = 0
        X[:, column] += noise
    np.save(folder / "X.npy", X.astype(np.float32))
    np.save(folder / "y.npy", data.y_train.to_numpy()[drawn])
    np.save(folder / "people.npy", data.X_test.to_numpy(np.float32))


def read_table(folder: str) -> tuple[Any, Any, Any]:
    import numpy as np

    X, y, people = (np.load(Path(folder) / f"{name}.npy") for name in ("X", "y", "people"))
    return X, y, people


def certifier(task: dict[str, Any]) -> Any:
    """A function that certifies the people of a table as the task says."""
    from sklearn.tree import DecisionTreeClassifier

    from everytree import certify

    def run(X: Any, y: Any, people: Any) -> Any:
        tree = DecisionTreeClassifier(max_depth=task["depth"])
        return certify(tree, X, y, people, task["bias"], engine=task["engine"])

    return run


def measure_time(task: dict[str, Any]) -> dict[str, Any]:
    from sklearn.tree import DecisionTreeClassifier

    X, y, people = read_table(task["folder"])
    run = certifier(task)
    run(X[:5000], y[:5000], people)
    fits, proofs, result = [], [], None
    for _ in range(task["repeats"]):
        start = time.perf_counter()
        DecisionTreeClassifier(max_depth=task["depth"]).fit(X, y)
        middle = time.perf_counter()
        result = run(X, y, people)
        proofs.append(time.perf_counter() - middle)
        fits.append(middle - start)
    return {
        "fit": sorted(fits)[len(fits) // 2],
        "certify": sorted(proofs)[len(proofs) // 2],
        "certified": 100 * float(result.robust_rate),
        "values": int(sum(len(set(column.tolist())) for column in X.T)),
    }


def measure_memory(task: dict[str, Any]) -> dict[str, Any]:
    from sklearn.tree import DecisionTreeClassifier

    X, y, people = read_table(task["folder"])
    run = certifier(task)
    run(X[:5000], y[:5000], people)
    if task["what"] == "fit":
        return _growth(lambda: DecisionTreeClassifier(max_depth=task["depth"]).fit(X, y)) | {
            "table": X.nbytes
        }
    return _growth(lambda: run(X, y, people)) | {"table": X.nbytes}


def _growth(work: Any) -> dict[str, Any]:
    """Growth of peak resident memory while `work` runs, in bytes."""
    gc.collect()
    _forget_peak()
    before = _status("VmRSS")
    work()
    return {"growth": _status("VmHWM") - before}


def _forget_peak() -> None:
    """Let the kernel count the peak anew from the present use."""
    Path("/proc/self/clear_refs").write_text("5")


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status has no {key}; this benchmark needs Linux")


def profile(task: dict[str, Any]) -> dict[str, Any]:
    """Time by function of one call; printed on standard error."""
    import cProfile
    import pstats

    X, y, people = read_table(task["folder"])
    run = certifier(task)
    run(X[:5000], y[:5000], people)
    watch = cProfile.Profile()
    watch.runcall(run, X, y, people)
    pstats.Stats(watch, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    return {}


CHILDREN = {"time": measure_time, "memory": measure_memory, "profile": profile}


def child(task: dict[str, Any]) -> dict[str, Any]:
    if task["job"] == "make":
        make_table(task["rows"], task["seed"], Path(task["folder"]))
        return {}
    return CHILDREN[task["job"]](task)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.million", description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table")
    parser.add_argument("--depth", type=int, default=2, help="depth of the tree")
    parser.add_argument("--bias", default="flip(0.1%)", help="bias model")
    parser.add_argument("--engine", default="relational", help="engine")
    parser.add_argument("--repeats", type=int, default=3, help="trainings and calls of certify")
    parser.add_argument("--seed", type=int, default=0, help="seed of the table")
    parser.add_argument("--profile", action="store_true", help="also show where the time goes")
    parser.add_argument("--csv", type=Path, help="also write the figures to this file")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(child(options.child)))
        return
    require_paper_tables()
    with tempfile.TemporaryDirectory() as folder:
        task = vars(options) | {"folder": folder, "csv": None, "child": None}
        note(f"making a table of {options.rows} rows")
        in_fresh_process("benchmarks.million", task | {"job": "make"})
        note("measuring time")
        times = in_fresh_process("benchmarks.million", task | {"job": "time"})
        note("measuring memory")
        memory = in_fresh_process("benchmarks.million", task | {"job": "memory", "what": "certify"})
        of_fit = in_fresh_process("benchmarks.million", task | {"job": "memory", "what": "fit"})
        if options.profile:
            in_fresh_process("benchmarks.million", task | {"job": "profile"})
    ratio, share = times["certify"] / times["fit"], memory["growth"] / memory["table"]
    row = {
        "rows": options.rows,
        "different values": times["values"],
        "depth": options.depth,
        "bias": options.bias,
        "certified %": times["certified"],
        "fit s": times["fit"],
        "certify s": times["certify"],
        "ratio": ratio,
        "target": RATIO_TARGET,
        "table MB": memory["table"] / 2**20,
        "memory MB": memory["growth"] / 2**20,
        "x table": share,
        "target x": MEMORY_TARGET,
        "fit x table": of_fit["growth"] / of_fit["table"],
        "met": "yes" if ratio <= RATIO_TARGET and share <= MEMORY_TARGET else "NO",
    }
    show([row])
    write_csv(options.csv, [row])


if __name__ == "__main__":
    main()

"""Does the installed scikit-learn learn as the method says? Brute force on many random tables.

Prints the version, what was counted and every claim that does not hold, with the seed that shows it. Needs
numpy and scikit-learn only, not everytree itself.
"""

from __future__ import annotations

import argparse

from tests.truth.canary import HOLES, Findings, __version__, examine
from tests.truth.canary_draws import random_case

MOST_SHOWN = 20
"""Violations that are printed."""


def main() -> None:
    """Examine random tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10_000, help="random tables (10000)")
    parser.add_argument("--rows", type=int, default=24, help="rows of the largest of them (24)")
    parser.add_argument("--seed", type=int, default=1_000_000, help="seed of the first one")
    options = parser.parse_args()
    findings = Findings()
    for seed in range(options.seed, options.seed + options.tables):
        known = len(findings.violations)
        examine(random_case(seed, options.rows), findings=findings)
        for said in findings.violations[known:][: max(0, MOST_SHOWN - known)]:
            print(f"VIOLATION with seed {seed}: {said}", flush=True)
    print(f"scikit-learn {__version__}{'' if HOLES else ' (without missing values)'}")
    print(", ".join(f"{count} {what}" for what, count in sorted(findings.seen.items())))
    print(f"furthest from the best split: {findings.furthest:.2g} of the tolerance for ties")
    print(f"violations {len(findings.violations)}")
    if findings.violations:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

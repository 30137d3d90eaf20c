"""Hand-picked problems with missing values, each aimed at one rule of scikit-learn's.

Beside `problems`, whose random problems have holes with ``{"holes": 0.5}``.
"""

from __future__ import annotations

from tests.truth.problems import Both, Compare, Part, Problem, _problem

NAN = float("nan")


def holes_picked() -> list[Problem]:
    """Small tables in which somebody's label hangs on where rows and people without a value go."""
    one_flip = Part("flip", 1)
    right = Compare(0, ">", 1)
    lacking = Compare(0, "missing", None)
    aside = [((0, 0), 0, 7), ((2, 0), 1, 4), ((NAN, 1), 2, 20), ((0, 1), 2, 3), ((2, 1), 2, 3)]
    return [
        _problem("missing rows on the left", [((0,), 0, 5), ((2,), 1, 5), ((NAN,), 0, 5)],
                 [[NAN], [0], [2], [9]], 1, one_flip),
        _problem("missing rows on the right", [((0,), 0, 5), ((2,), 1, 5), ((NAN,), 1, 5)],
                 [[NAN], [0], [2], [-9]], 1, one_flip),
        _problem("only missing rows on the right", [((1,), 0, 6), ((NAN,), 1, 6)],
                 [[NAN], [1], [-9], [9]], 1, one_flip),
        _problem("values against missing rows", [((0,), 0, 3), ((2,), 0, 3), ((NAN,), 1, 6)],
                 [[NAN], [0], [9]], 1, one_flip),
        _problem("where more rows are", [((0,), 0, 7), ((2,), 1, 4)], [[NAN], [0], [2]], 1, one_flip),
        _problem("where more rows are, on the right", [((0,), 0, 4), ((2,), 1, 7)], [[NAN]], 1, one_flip),
        _problem("as many rows on both sides", [((0,), 0, 6), ((2,), 1, 6)], [[NAN]], 1, one_flip),
        _problem("a removed row decides", [((0,), 0, 6), ((2,), 1, 6)], [[NAN]], 1,
                 Part("fake", 1, right)),
        _problem("a removed row decides, from the left", [((0,), 0, 7), ((2,), 1, 6)], [[NAN]], 1,
                 Part("fake", 1, Compare(0, "<", 1))),
        _problem("an added row decides", [((0,), 0, 6), ((1,), 1, 6)], [[NAN]], 1,
                 Part("miss", 1, Compare(0, "==", 0))),
        _problem("an added row decides, on the right", [((0,), 0, 7), ((1,), 1, 6)], [[NAN]], 1,
                 Part("miss", 1, Compare(0, "==", 1))),
        _problem("an added row lacks a value", aside, [[NAN, 0]], 2,
                 Part("miss", 1, Both(lacking, Compare(1, "==", 0)))),
        _problem("the rows without a value are removed", [((0,), 0, 7), ((2,), 1, 4), ((NAN,), 1, 1)],
                 [[NAN]], 1, Part("fake", 1, lacking)),
        _problem("a flip sends values and what is missing apart",
                 [((1, 0), 0, 5), ((1, 1), 1, 1), ((NAN, 0), 0, 1), ((NAN, 1), 1, 5)], [[NAN, 0]], 1,
                 one_flip),
        _problem("a flip splits a column that a person lacks",
                 [((0, 0), 0, 5), ((0, 1), 1, 1), ((1, 0), 0, 1), ((1, 1), 1, 5)], [[NAN, 0]], 1, one_flip),
        _problem("only what is missing may be flipped", [((0,), 0, 6), ((2,), 1, 6), ((NAN,), 0, 3)],
                 [[NAN], [0]], 1, Part("flip", 2, lacking)),
    ]  # fmt: skip

"""Draws the pictures of `docs/pictures.md` from bundled data.

Run it after a change of the displays::

    python docs/images/pictures.py

`tests/test_plots.py` fails when a picture says anything else than what is drawn.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

from everytree import certify, radius
from everytree.datasets import load
from everytree.questions.family import tree_family
from everytree.show.plots import CertifiedShareDisplay, TreeFamilyDisplay

HERE = Path(__file__).parent
AMOUNTS = ("0", "0.1%", "0.2%", "0.5%", "0.75%")
BIAS = 'flip({}, where race == "African-American" and label == 1)'


def curve() -> str:
    """COMPAS: who stays proved as labels of one group become doubtful."""
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    tables = data.X_train, data.y_train, data.X_test
    results = {amount: certify(tree, *tables, BIAS.format(amount)) for amount in AMOUNTS}
    return CertifiedShareDisplay.from_results(results, "race").to_svg(background="white")


def family() -> str:
    """COMPAS: the splits that wrong labels could lead to, with the witnesses of sixty people."""
    data = load("compas")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = radius(tree, data.X_train, data.y_train, data.X_test.iloc[:60], "flip(?)", max_amount=40)
    splits = tree_family(tree, data.X_train, data.y_train, "flip(?)", most=2, witnesses=found)
    return TreeFamilyDisplay.from_family(splits).to_svg(background="white")


PICTURES = {"curve.svg": curve, "family.svg": family}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (HERE / name).write_text(draw(), encoding="utf-8")
        print(f"wrote {name}, {(HERE / name).stat().st_size} bytes")

"""Nothing that is certified on real tables falls to an attack that only retrains, and the attack can bite.

The number of attacks follows the environment variable EVERYTREE_ATTACKS (random ones for each setting, and a
tenth as many greedy ones). The full campaign is ``python -m benchmarks.attack``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from everytree.datasets import load, load_paper
from tests.truth.attacks import (
    ADD,
    FLIP,
    REMOVE,
    BiasedTable,
    OutsideError,
    Watch,
    attack,
    certified_setting,
    cuts,
    number_of_attacks,
    pursue,
    random_table,
    way,
)

needs_paper = pytest.mark.skipif(
    not os.environ.get("EVERYTREE_DATA"), reason="EVERYTREE_DATA does not name the paper's tables"
)
TARGETS = {"compas": "african_american == 1 and label == 1", "drug": "gender > 0 and label == 0"}
AMOUNTS = ("0.2%", "1%")
KINDS = {
    "flip": "flip({a})",
    "miss": "miss({a})",
    "fake": "fake({a})",
    "miss+fake": "miss({a}) + fake({a})",
    "miss+flip": "miss({a}) + flip({a})",
    "targeted": "flip({a}, where {target})",
}
BUNDLED = (
    "flip(1%)",
    "miss(0.2%)",
    "fake(1%)",
    "miss(0.2%) + fake(0.2%)",
    "miss(0.2%) + flip(0.2%)",
    'flip(1%, where race == "African-American" and label == 1)',
)


@cache
def paper(name):
    return load_paper(name)


@cache
def bundled():
    """The bundled COMPAS table, every second row: text columns, one-hot encoded."""
    whole = load("compas")
    half = {name: getattr(whole, name).iloc[::2].reset_index(drop=True) for name in ("X_train", "y_train")}
    return replace(whole, **half)


@cache
def bundled_setting(bias, depth=1):
    return certified_setting(bundled(), depth, bias)


def assert_withstands(setting, random, greedy):
    report = attack(setting, random, greedy)
    assert report.tables >= random
    assert report.fallen_certified == 0, report.first_breach


# ---------------------------------------------------------------- the claim


@needs_paper
@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "depth"), [("compas", 1), ("compas", 3), ("drug", 2)])
def test_nothing_certified_falls_on_the_papers_tables(name, depth, kind, amount):
    bias = KINDS[kind].format(a=amount, target=TARGETS[name])
    setting = certified_setting(paper(name), depth, bias)
    assert setting.certified.any()
    assert_withstands(setting, *number_of_attacks())


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("bias", BUNDLED)
def test_nothing_certified_falls_on_the_bundled_table(bias, depth):
    random, greedy = number_of_attacks()
    assert_withstands(bundled_setting(bias, depth), random // 4, max(1, greedy // 4))


# ---------------------------------------------------------------- the attack can bite


@needs_paper
def test_many_uncertified_people_fall():
    setting = certified_setting(paper("compas"), 1, "flip(1%)")
    report = attack(setting, 100, 0, on_unknown=100)
    assert report.fallen_certified == 0
    assert report.certified == report.people - 440
    assert report.fallen_unknown >= 360


@pytest.mark.parametrize("bias", ["flip(1%)", "fake(1%)", "miss(1%)"])
def test_uncertified_people_of_the_bundled_table_fall(bias):
    setting = bundled_setting(bias, 2)
    report = attack(setting, 100, 0, on_unknown=20)
    assert report.fallen_unknown >= 50


def test_a_false_proof_is_found():
    setting = bundled_setting("flip(1%)", 2)
    boast = replace(setting, certified=np.ones(len(setting.people), bool))
    report = attack(boast, 50, 10)
    assert report.fallen_certified >= 50
    assert "random_state" in report.first_breach


@pytest.mark.parametrize(("random", "greedy"), [(100, 0), (0, 20)])
def test_each_half_of_the_attack_bites_alone(random, greedy):
    setting = bundled_setting("flip(1%)", 2)
    report = attack(setting, random, 0, on_unknown=greedy)
    assert report.fallen_unknown > 0


# ---------------------------------------------------------------- its tables are tables of B(T)


@pytest.mark.parametrize("bias", BUNDLED)
def test_random_tables_use_the_whole_budget(bias):
    setting, rng = bundled_setting(bias), np.random.default_rng(1)
    for _ in range(60):
        table = random_table(setting, rng)
        table.verify()
        assert [table.left(kind) for kind in (ADD, FLIP, REMOVE)] == [0, 0, 0]
        X, y = table.rows()
        assert len(X) == len(y) == len(setting.y) + setting.bias.additions - setting.bias.removals


@pytest.mark.parametrize("bias", BUNDLED)
def test_greedy_tables_stay_inside(bias):
    setting, rng = bundled_setting(bias, 2), np.random.default_rng(2)
    watch = Watch(setting, np.zeros(len(setting.people), bool))
    used = 0
    for person in range(10):
        table = pursue(setting, person, 1 - int(setting.expected[person]), rng, watch.look)
        table.verify()
        used += any(table.left(kind) == 0 for kind in (ADD, FLIP, REMOVE))
    assert used >= 5


def _one_flip_too_many(table):
    rows = np.flatnonzero(table.flippable(1))[: table.left(FLIP) + 1]
    table.flip(rows, 1)


def _flip_of_a_protected_row(table):
    row = np.flatnonzero(~table.setting.bias.flips_to.any(axis=1))[:1]
    table.flip(row, 1 - table.labels[row])


def _one_removal_too_many(table):
    table.remove(np.arange(table.left(REMOVE) + 1))


def _half_a_woman(table):
    table.add(np.full((1, table.X.shape[1]), 0.5, np.float32), 0)


def _two_races_at_once(table):
    table.add(np.ones((1, table.X.shape[1]), np.float32), 0)


def _changed_features(table):
    table.X = table.X + 1


@pytest.mark.parametrize(
    ("bias", "spoil", "rule"),
    [
        ("flip(1%)", _one_flip_too_many, "so many flips"),
        ('flip(1%, where race == "African-American" and label == 1)', _flip_of_a_protected_row, "flips are"),
        ("fake(1%)", _one_removal_too_many, "so many removals"),
        ("flip(1%)", _changed_features, "untouched"),
        ("miss(0.2%)", _half_a_woman, "boolean"),
        ("miss(0.2%)", _two_races_at_once, "one category"),
    ],
)
def test_a_table_outside_is_refused(bias, spoil, rule):
    table = BiasedTable(bundled_setting(bias))
    table.verify()
    spoil(table)
    with pytest.raises(OutsideError, match=rule):
        table.verify()


def test_a_targeted_flip_touches_only_its_group():
    setting, rng = bundled_setting(BUNDLED[-1]), np.random.default_rng(3)
    data = bundled()
    group = ((data.X_train["race"] == "African-American") & (data.y_train == 1)).to_numpy()
    for _ in range(20):
        table = random_table(setting, rng)
        assert not (table.labels != setting.y)[~group].any()


def test_additions_with_a_place_are_not_attacked():
    with pytest.raises(ValueError, match="where rows may be added"):
        certified_setting(bundled(), 1, "miss(1, where age > 30)")


# ---------------------------------------------------------------- its parts


def test_the_way_ends_in_the_leaf_that_the_tree_gives():
    setting = bundled_setting("flip(1%)", 2)
    leaf = setting.tree.apply(setting.X, check_input=False)
    for person in setting.people[:20]:
        nodes = way(setting.tree, BiasedTable(setting), person)
        mine = setting.tree.apply(person[None], check_input=False)[0]
        assert nodes[-1].rows.tolist() == np.flatnonzero(leaf == mine).tolist()
        assert [node.split is None for node in nodes] == [False] * (len(nodes) - 1) + [True]


def test_cuts_count_the_left_side():
    values, labels = np.array([3, 1, 1, 2], np.float32), np.array([1, 0, 1, 0])
    thresholds, left = cuts(values, labels, 2)
    assert thresholds.tolist() == [1.5, 2.5]
    assert left.tolist() == [[1, 1], [2, 1]]


def test_the_environment_sets_the_number(monkeypatch):
    monkeypatch.setenv("EVERYTREE_ATTACKS", "2000")
    assert number_of_attacks() == (2000, 200)
    monkeypatch.delenv("EVERYTREE_ATTACKS")
    assert number_of_attacks(30) == (30, 3)

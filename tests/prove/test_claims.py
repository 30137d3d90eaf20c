"""Claims: what is joined or left out asks for no more than before; rows added elsewhere are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from everytree.bias import parse, resolve
from everytree.bias.acts import ADD, FLIP, REMOVE
from everytree.learner import Settings
from everytree.prove.candidates import Candidates, claims_of
from everytree.prove.domains.claims import MOST_CLAIMS, MOST_ELSEWHERE, Claims, as_bytes, binding
from everytree.prove.engines import RelationalEngine
from everytree.prove.node import Nodes
from everytree.prove.problem import Problem
from everytree.table import training_table


def drawn(seed: int, n_claims: int, groups: int) -> Claims:
    rng = np.random.default_rng(seed)
    return Claims(
        base=rng.normal(-1, 1, n_claims),
        joined=rng.random(n_claims),
        add=rng.normal(size=(n_claims, 2)),
        remove=rng.normal(size=(n_claims, 2, 2)),
        flip=rng.normal(-1, 1, (n_claims, 2, 2, 2)),
        elsewhere=rng.normal(size=(n_claims, groups)),
        sort=rng.integers(0, 3, groups),
        cap=rng.integers(0, 5, groups).astype(float),
        acts=(1, 2, 1),
        classes=np.zeros(3, np.int8),
    )


@pytest.mark.parametrize("seed", range(20))
def test_groups_that_are_taken_together_can_do_what_each_could(seed: int) -> None:
    claims = drawn(seed, 3, 300)
    fewer = binding(claims)
    assert fewer is not None
    assert len(fewer.cap) <= MOST_ELSEWHERE
    kept = [int(np.flatnonzero(claims.base == base)[0]) for base in fewer.base]
    for e in np.flatnonzero((claims.cap > 0) & (claims.elsewhere[kept] > 0).any(axis=0)):
        as_good = (fewer.elsewhere >= claims.elsewhere[kept, e][:, None]).all(axis=0)
        assert ((fewer.sort == claims.sort[e]) & as_good & (fewer.cap >= claims.cap[e])).any()
    for act in (ADD, FLIP, REMOVE):
        helpful = (claims.sort == act) & (claims.elsewhere[kept] > 0).any(axis=0)
        assert fewer.cap[fewer.sort == act].sum() == claims.cap[helpful].sum()


@pytest.mark.parametrize("seed", range(20))
def test_too_many_claims_are_added_up(seed: int) -> None:
    claims = drawn(seed, MOST_CLAIMS + 1, 10)
    claims = claims._replace(base=np.full(MOST_CLAIMS + 1, -50.0))
    fewer = binding(claims)
    assert fewer is not None
    assert len(fewer.base) == MOST_CLAIMS
    assert fewer.base[0] == pytest.approx(claims.joined[:2] @ claims.base[:2])
    assert np.allclose(fewer.flip[0], np.tensordot(claims.joined[:2], claims.flip[:2], 1))
    assert fewer.joined[0] == 1.0
    assert np.array_equal(fewer.flip[1:], claims.flip[2:])


def test_what_every_mix_fulfils_is_left_out() -> None:
    claims = drawn(0, 2, 5)
    assert binding(claims._replace(base=np.full(2, 100.0))) is None
    some = binding(claims._replace(base=np.array([100.0, -1.0])))
    assert some is not None
    assert some.base.tolist() == [-1.0]


def test_a_memory_tells_sorts_of_acts_apart() -> None:
    claims = drawn(0, 2, 5)
    assert as_bytes(claims) != as_bytes(claims._replace(sort=(claims.sort + 1) % 3))
    assert as_bytes(claims) == as_bytes(claims._replace(sort=claims.sort.copy()))


def below(bias: str) -> Claims:
    """What the left side of a split that is behind has to fulfil."""
    X = pd.DataFrame({"a": [0, 0, 0, 1, 1, 1, 2, 2], "b": [0, 1, 0, 1, 0, 1, 0, 1]})
    table = training_table(X, [0, 0, 0, 0, 1, 1, 1, 1])
    problem = Problem.of(table, resolve(parse(bias), table), Settings(max_depth=2))
    ground = Nodes(problem).ground(Nodes(problem).root())
    engine = RelationalEngine(claims=True)
    ranking = engine.rank(ground)
    behind = int(np.flatnonzero(ground.splits.feature == 1)[0])
    best, n = int(ranking.challengers[0]), 1
    entry = np.full(n, behind), np.zeros(n, np.int64), np.full(n, best), np.zeros(n)
    candidates = Candidates(*entry, np.ones((n, 2, 2), np.bool_))
    claims = claims_of(ranking, candidates, 0, 0, problem)
    assert claims is not None
    return claims


def test_a_row_that_is_added_elsewhere_may_be_flipped_there() -> None:
    claims = below("miss(5) + flip(5)")
    assert (claims.sort == ADD).any()
    assert (claims.cap[claims.sort == FLIP] == 5).any()  # rows that may be added; no cell has five
    assert (below("flip(5)").cap < 5).all()


def test_acts_on_the_other_side_are_groups_elsewhere() -> None:
    claims = below("fake(1)")
    assert (claims.sort == REMOVE).all()
    assert claims.cap.sum() <= 4  # rows on the right that help
    assert len(claims.classes) == 4
    assert set(claims.classes.tolist()) <= {0, 1}

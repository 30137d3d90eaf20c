"""The family of trees: which splits a biased table could lead to, and how much bias each one needs.

Beside `certify` and `radius`: it asks the same engine about nodes instead of people.
"""

from everytree.family.asking import family_prepared, tree_family
from everytree.family.structure import Candidate, Node, TreeFamily

__all__ = ["Candidate", "Node", "TreeFamily", "family_prepared", "tree_family"]

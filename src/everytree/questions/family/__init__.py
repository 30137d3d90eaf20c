"""The family of trees: which splits a biased table could lead to, and how much bias each one needs.

Beside `certify` and `radius`: it asks the same engine about nodes instead of people.
"""

from everytree.questions.family.question import family_prepared, tree_family
from everytree.results.family import Candidate, FamilyNode, TreeFamily

__all__ = ["Candidate", "FamilyNode", "TreeFamily", "family_prepared", "tree_family"]

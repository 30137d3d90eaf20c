"""Pictures of what was found, as matplotlib Display objects in the manner of scikit-learn.

Above verdicts and radii; everything drawn was counted elsewhere and is kept in `.data`.
"""

from everytree.plots.amounts import AmountsDisplay
from everytree.plots.radii import RadiusDisplay
from everytree.plots.shares import CertifiedShareDisplay
from everytree.plots.trees import TreeFamilyDisplay
from everytree.plots.verdicts import VerdictsDisplay

__all__ = [
    "AmountsDisplay",
    "CertifiedShareDisplay",
    "RadiusDisplay",
    "TreeFamilyDisplay",
    "VerdictsDisplay",
]

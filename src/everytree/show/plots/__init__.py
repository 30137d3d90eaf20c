"""Pictures of what was found, as matplotlib Display objects in the manner of scikit-learn.

Above verdicts and radii; everything drawn was counted elsewhere and is kept in `.data`.
"""

from everytree.show.plots.amounts import AmountsDisplay
from everytree.show.plots.radii import RadiusDisplay
from everytree.show.plots.ranges import MetricRangesDisplay
from everytree.show.plots.shares import CertifiedShareDisplay
from everytree.show.plots.trees import TreeFamilyDisplay
from everytree.show.plots.verdicts import VerdictsDisplay

__all__ = [
    "AmountsDisplay",
    "CertifiedShareDisplay",
    "MetricRangesDisplay",
    "RadiusDisplay",
    "TreeFamilyDisplay",
    "VerdictsDisplay",
]

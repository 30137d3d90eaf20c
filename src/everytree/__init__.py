"""Says which predictions would be the same if the training data had not been biased.

The public names; each is imported when it is first used, so that starting is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from everytree.support.above import provide
from everytree.support.version import VERSION

if TYPE_CHECKING:
    from everytree.bias import BiasModel, col, label, parse
    from everytree.bias.components.fake import fake
    from everytree.bias.components.flip import flip
    from everytree.bias.components.miss import miss
    from everytree.checker import check_proof
    from everytree.errors import EverytreeError
    from everytree.estimator import BiasCertifier, certified_accuracy
    from everytree.questions.certify import certify
    from everytree.questions.family import TreeFamily, tree_family
    from everytree.questions.metrics import metric_ranges
    from everytree.questions.proofs import verify_proof
    from everytree.questions.radius import radius
    from everytree.refute.witness import Witness
    from everytree.results.certification import CertificationResult
    from everytree.results.loading import load
    from everytree.results.radii import RadiusResult
    from everytree.results.ranges import MetricRanges

__version__ = VERSION

provide(
    {
        "CertifiedShareDisplay.from_radius": "everytree.show.plots",
        "MetricRangesDisplay.from_ranges": "everytree.show.plots",
        "VerdictsDisplay.from_result": "everytree.show.plots",
        "bias_html": "everytree.show.notebook",
        "certification_html": "everytree.show.notebook",
        "certify_prepared": "everytree.questions.certify",
        "metric_ranges": "everytree.questions.metrics",
        "radius_html": "everytree.show.notebook",
        "witness_html": "everytree.show.notebook",
        "write_proof": "everytree.questions.proofs",
        "write_report": "everytree.show.report",
    }
)

_HOMES = {
    "BiasCertifier": "everytree.estimator",
    "BiasModel": "everytree.bias",
    "CertificationResult": "everytree.results.certification",
    "EverytreeError": "everytree.errors",
    "MetricRanges": "everytree.results.ranges",
    "RadiusResult": "everytree.results.radii",
    "TreeFamily": "everytree.questions.family",
    "Witness": "everytree.refute.witness",
    "certified_accuracy": "everytree.estimator",
    "certify": "everytree.questions.certify",
    "check_proof": "everytree.checker",
    "col": "everytree.bias",
    "fake": "everytree.bias.components.fake",
    "flip": "everytree.bias.components.flip",
    "label": "everytree.bias",
    "load": "everytree.results.loading",
    "metric_ranges": "everytree.questions.metrics",
    "miss": "everytree.bias.components.miss",
    "parse": "everytree.bias",
    "radius": "everytree.questions.radius",
    "tree_family": "everytree.questions.family",
    "verify_proof": "everytree.questions.proofs",
}

__all__ = [
    "BiasCertifier",
    "BiasModel",
    "CertificationResult",
    "EverytreeError",
    "MetricRanges",
    "RadiusResult",
    "TreeFamily",
    "Witness",
    "certified_accuracy",
    "certify",
    "check_proof",
    "col",
    "fake",
    "flip",
    "label",
    "load",
    "metric_ranges",
    "miss",
    "parse",
    "radius",
    "tree_family",
    "verify_proof",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'everytree' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

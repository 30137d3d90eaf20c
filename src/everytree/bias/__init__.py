"""The bias-model language: what may be wrong with a training table, in text, Python or dictionary form.

Models are built or parsed here and resolved against a table; the rooms further along see `ResolvedBias`.
"""

from everytree.bias.components.fake import fake
from everytree.bias.components.flip import flip
from everytree.bias.components.miss import miss
from everytree.bias.language.amounts import Amount
from everytree.bias.language.expressions import Condition
from everytree.bias.language.grammar import parse, parse_condition
from everytree.bias.language.references import col, label
from everytree.bias.model import BiasModel, Component, as_bias
from everytree.bias.resolve import ResolvedBias, ResolvedComponent, resolve
from everytree.bias.size import log10_tables
from everytree.bias.words import ComponentExplanation, Explanation, explain, in_words

__all__ = [
    "Amount",
    "BiasModel",
    "Component",
    "ComponentExplanation",
    "Condition",
    "Explanation",
    "ResolvedBias",
    "ResolvedComponent",
    "as_bias",
    "col",
    "explain",
    "fake",
    "flip",
    "in_words",
    "label",
    "log10_tables",
    "miss",
    "parse",
    "parse_condition",
    "resolve",
]

"""The learner that is certified: what we support of scikit-learn's tree, and its tables, prepared."""

from everytree.learner.prepared import Learner, Prepared, prepare, read_training
from everytree.learner.settings import Settings

__all__ = ["Learner", "Prepared", "Settings", "prepare", "read_training"]

"""Proofs: counts of a node, domains that bound them, the walk over all trees."""

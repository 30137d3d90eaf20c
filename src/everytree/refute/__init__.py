"""Refutations: changed tables, who may change what, retraining, witnesses."""

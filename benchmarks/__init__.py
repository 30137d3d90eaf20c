"""Measurements on real tables; run from the root of the project, as in ``python -m benchmarks.cost``."""

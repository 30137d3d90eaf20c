"""Deciding the rest: paths as linear programs, witnesses confirmed by retraining, and the radius."""

"""What the learner calls the best split: one file of algebra for each criterion, and one front for all.

`front` says what a criterion is asked; nothing outside this folder knows how the answer is found.
"""

"""everytree: would this prediction have been different if the training data had not been biased?"""
__version__ = "0.1.0"

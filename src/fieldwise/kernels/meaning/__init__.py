"""Text as a model reads it, what a model overlooks (numbers, negation, names), and how a similarity is calibrated. Pure functions."""

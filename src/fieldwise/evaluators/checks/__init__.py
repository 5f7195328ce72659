"""Evaluators: checks."""

"""Evaluators: answers."""

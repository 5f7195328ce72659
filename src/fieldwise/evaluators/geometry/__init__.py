"""Evaluators: geometry."""

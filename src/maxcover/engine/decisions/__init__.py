"""Decisions: explanations, alternatives, plans and sensitivity of a solution."""

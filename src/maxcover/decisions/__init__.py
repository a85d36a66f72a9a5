"""Decisions: why not this one, what else, in which order, what if."""

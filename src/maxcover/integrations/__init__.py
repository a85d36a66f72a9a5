"""Adapters to retrieval frameworks, one thin file each; only that file imports its framework."""

"""Weigh: what sentences say as weighted concepts, and the corpus they make."""

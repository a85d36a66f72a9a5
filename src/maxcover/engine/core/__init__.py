"""Core: the problem, its bounds, a certified solution and the proof that a stranger can check."""

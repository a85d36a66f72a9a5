"""Summary: what is chosen, why, and what differs."""

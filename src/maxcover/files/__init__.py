"""Files: which are opened, the one place that every door asks."""

"""Reproduce: the figures of the paper, one file each, data first and plot second."""

"""Reproduce: the figures of the paper: the numbers first, then what they show, then a picture."""

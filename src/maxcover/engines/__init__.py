"""The same work on many cores and many machines: many small problems, and one huge graph."""

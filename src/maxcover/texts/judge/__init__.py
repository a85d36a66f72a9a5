"""Judge: which sentences may be chosen, and how well they can be read alone."""

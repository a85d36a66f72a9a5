"""Judge: which sentences may be chosen, and how well they stand by themselves."""

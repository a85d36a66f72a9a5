"""Words: characters and words as numbers, and what a language implies."""

"""Words: characters and words as numbers, and the properties of languages."""

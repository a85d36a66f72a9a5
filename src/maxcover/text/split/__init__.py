"""Split: blocks to sentences, and how a sentence is shown."""

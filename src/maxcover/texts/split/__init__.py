"""Split: splits blocks into sentences, and says how a sentence is printed."""

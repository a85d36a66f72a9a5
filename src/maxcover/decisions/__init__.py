"""From an answer to a decision: why not this one, what else, in which order, what if."""

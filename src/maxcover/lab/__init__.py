"""Lab: the experiments of the paper: summaries compared by ROUGE, and the figures made again."""

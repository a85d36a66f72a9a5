"""Uses: what the engine is used for besides texts: sites on a map, rows with embeddings."""

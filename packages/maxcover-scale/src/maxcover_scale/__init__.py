"""Maxcover scale: many clusters of documents, and graphs larger than memory."""

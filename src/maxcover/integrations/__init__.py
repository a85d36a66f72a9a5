"""Integrations: adapters to retrieval frameworks; only the adapter imports its framework."""

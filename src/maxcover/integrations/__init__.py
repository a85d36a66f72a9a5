"""Integrations: adapters to retrieval frameworks, each the only file that imports its one."""

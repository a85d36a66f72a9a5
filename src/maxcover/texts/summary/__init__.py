"""Summary: chooses sentences, gives reasons for the choice, and compares documents."""

"""CLI: the command line: parses arguments, calls the package, prints. Only these files print."""

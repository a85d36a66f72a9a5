"""CLI: the command line: parse, call, report. Only the files in here print."""

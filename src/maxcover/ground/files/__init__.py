"""Files: which files are listed and opened; every command and call reads files through here."""

"""Ground: what every wing stands on: options, calls, files, memory, optional packages."""

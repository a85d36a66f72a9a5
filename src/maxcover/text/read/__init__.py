"""Read: documents to blocks, whatever form they come in."""

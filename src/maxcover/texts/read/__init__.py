"""Read: splits documents of any format into blocks."""

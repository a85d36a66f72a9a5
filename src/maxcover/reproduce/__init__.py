"""The figures of the paper, one file each: data first, plot second, public functions only."""

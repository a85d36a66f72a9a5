"""Engine: chooses sets within limits, proves how good the choice is, and explains it."""

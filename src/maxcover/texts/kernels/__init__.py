"""Kernels of texts: loops over letters and words, compiled when the package is built."""

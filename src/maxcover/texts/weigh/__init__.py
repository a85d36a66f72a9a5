"""Weigh: the weighted concepts of sentences, and the corpus made from them."""

"""Distributed: solves one huge graph on Spark; workers compute sums over pieces for the driver."""

"""Many small problems: on every core of one machine, on Spark, and as a function on Arrow."""

"""Run ``maxcover batch`` under spark-submit: ... maxcover_batch.py INPUT OUT --budget 100."""

import sys

from maxcover.cli.app import call

sys.exit(call(["batch", "--engine", "spark", *sys.argv[1:]]))

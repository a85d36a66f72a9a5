"""Figure 2 of the paper, from the command line: ``python experiments/fig2.py --quick``.

The same as ``maxcover reproduce fig2``; what is measured is in `maxcover.reproduce.fig2`.
"""

import sys

from maxcover.cli.app import call

if __name__ == "__main__":
    sys.exit(call(["reproduce", "fig2", *sys.argv[1:]]))

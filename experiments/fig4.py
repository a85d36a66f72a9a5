"""Figure 4 of the paper, from the command line: ``python experiments/fig4.py --data DIRECTORY``.

The same as ``maxcover reproduce fig4``; what is measured is in `maxcover.reproduce.text_figures`.
"""

import sys

from maxcover.cli.app import call

if __name__ == "__main__":
    sys.exit(call(["reproduce", "fig4", *sys.argv[1:]]))

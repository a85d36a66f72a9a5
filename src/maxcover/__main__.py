"""``python -m maxcover``: the command line."""

from maxcover.cli.app import run

if __name__ == "__main__":
    run()

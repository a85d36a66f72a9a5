"""Errors: Everything maxcover raises on purpose.

::

    MaxcoverError
    ├── ProblemError (ValueError)       the numbers given do not make a coverage problem
    ├── InfeasibleError (ValueError)    a selection or a requirement breaks a limit of the problem
    ├── OptionError (ValueError)        an unknown method, or an option out of its range
    ├── TooLargeError (ValueError)      the work would take, or took, too much time or memory
    ├── TextError (ValueError)          there is nothing to summarise, or nothing fits
    ├── FileFormatError (ValueError)    a file is of another kind, damaged, or of a newer format
    ├── EngineError (RuntimeError)      Spark lost data or gave up
    └── MissingExtraError (ImportError) an optional package is not installed

    InputWarning (UserWarning)          the input is valid, but probably not what was meant
"""


class MaxcoverError(Exception):
    """Base of every error that maxcover raises on purpose."""


class ProblemError(MaxcoverError, ValueError):
    """The numbers given do not make a coverage problem."""


class InfeasibleError(MaxcoverError, ValueError):
    """A selection or a requirement breaks a limit of the problem."""


class OptionError(MaxcoverError, ValueError):
    """An unknown method, or an option out of its range."""


class TooLargeError(MaxcoverError, ValueError):
    """The work would take, or took, more time or memory than is allowed for it."""


class TextError(MaxcoverError, ValueError):
    """There is nothing to summarise, or nothing fits the budget."""


class FileFormatError(MaxcoverError, ValueError):
    """A file is of another kind than expected, damaged, or of a newer format."""


class EngineError(MaxcoverError, RuntimeError):
    """Spark lost data or gave up on the computation; the message says what to do."""


class MissingExtraError(MaxcoverError, ImportError):
    """An optional package is not installed; the message has the command that installs it."""


class InputWarning(UserWarning):
    """The input is probably not what was meant: a column is unused, or set 0 has no edges."""

"""The errors that users meet, each with the exit code of the command line."""


class MinmaxvrpError(Exception):
    """Base of all errors raised on purpose; `exit_code` is what the command line returns."""

    exit_code = 1


class InputError(MinmaxvrpError):
    """The user's input cannot be used: the message says what, got, expected, where."""

    exit_code = 2


class InfeasibleError(MinmaxvrpError):
    """A plan breaks a rule of its instance."""

    exit_code = 3


class InternalError(MinmaxvrpError):
    """A fault of this package, such as a solver whose answer did not pass the checker."""

    exit_code = 1

"""What a run may end in, through no mistake of its user's: the command line says it in a line, with status 1."""


class RunFailed(Exception):
    """Base of both. prefix: what goes before the message where nothing else says what happened."""

    prefix = ""


class Diverged(RunFailed):
    """The loss or a gradient is no longer finite; the message says when and where it blew up."""

    prefix = "the run diverged at "


class WorkerFailed(RunFailed):
    """A worker died or raised; the message is one line that says which, how, and in which update."""

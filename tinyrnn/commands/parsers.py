"""Parsers of commands and their subcommands, which all look alike: what it does, and an example below."""


def described(commands, name, help):
    """A parser for the command `name`. commands: what `add_subparsers` returned; help: one line, in lower case."""
    help = help.replace("%", "%%")
    return commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:].rstrip('.')}.")


def add_command(commands, name, run, help, example):
    """The same for a subcommand, with the function that runs it and an example of its use."""
    command = described(commands, name, help)
    command.epilog = f"Example: {example}"
    command.set_defaults(run=run)
    return command

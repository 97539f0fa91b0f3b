"""The `tinyrnn` command: one file a subcommand, loaded when it is called for. `main` has the table of them."""

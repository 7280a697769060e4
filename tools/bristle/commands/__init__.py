"""One module per command of the command line; how one looks is told in cli/."""

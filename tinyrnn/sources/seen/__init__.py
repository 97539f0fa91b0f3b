"""The calls that a file makes itself, as examples of how its passes are called, where nothing else tells that."""

"""How weights begin: `distributions` draws arrays, `by_name` starts a whole cell as a source starts it."""

"""A student's code runs in a child process that gave up what it could, and sends arrays and never a verdict."""

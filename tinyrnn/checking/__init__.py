"""The gradient check: numerical derivatives, the point they are taken at, the verdict, and the table it prints."""

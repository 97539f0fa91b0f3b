"""What there is to judge, each made into a `Problem`: functions, classes, cells, optimisers, parts of the package."""

"""`python -m tools.mutation_study --draws 20`, in a clone of the repository."""

import sys

from tools.mutation_study.study import main

if __name__ == "__main__":
    sys.exit(main())

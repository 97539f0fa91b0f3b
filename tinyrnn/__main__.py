"""`python -m tinyrnn` is the `tinyrnn` command."""

import sys

from tinyrnn.cli import main

sys.exit(main())

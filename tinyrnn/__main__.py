"""`python -m tinyrnn` is the `tinyrnn` command."""

import sys

from tinyrnn.commands.main import main

sys.exit(main())

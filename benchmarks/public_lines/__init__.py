"""Public programs for the line verdicts; see README.md."""

from .books import SUBJECTS as BOOKS
from .functions import SUBJECTS as FUNCTIONS
from .modules import SUBJECTS as MODULES
from .objects import SUBJECTS as OBJECTS

SUBJECTS = [*FUNCTIONS, *BOOKS, *OBJECTS, *MODULES]

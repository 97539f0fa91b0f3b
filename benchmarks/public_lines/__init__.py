"""Public programs for the line verdicts; see README.md."""

from .classes import SUBJECTS as CLASSES
from .functions import SUBJECTS as FUNCTIONS

SUBJECTS = [*FUNCTIONS, *CLASSES]

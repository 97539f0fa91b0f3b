"""Looking into recurrent networks: functions of arrays and cells, each with a result that can be checked by hand.

`tinyrnn.figures` has a picture and a command for each.
"""

from tinyrnn.analysis import bound as bound
from tinyrnn.analysis import cliffs as cliffs
from tinyrnn.analysis import constructed as constructed
from tinyrnn.analysis import credit as credit
from tinyrnn.analysis import decoding as decoding
from tinyrnn.analysis import detaching as detaching
from tinyrnn.analysis import fisher as fisher
from tinyrnn.analysis import flow as flow
from tinyrnn.analysis import gates as gates
from tinyrnn.analysis import jacobians as jacobians
from tinyrnn.analysis import maps as maps
from tinyrnn.analysis import normality as normality
from tinyrnn.analysis import ordering as ordering
from tinyrnn.analysis import outputs as outputs
from tinyrnn.analysis import pooling as pooling
from tinyrnn.analysis import recurrent as recurrent
from tinyrnn.analysis import spectrum as spectrum
from tinyrnn.analysis import univariate as univariate

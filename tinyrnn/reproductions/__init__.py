"""Every figure and table of the five documents that is run or computed, each by its name (`tinyrnn reproduce NAME`)."""

from tinyrnn.reproductions.arjovsky import ARJOVSKYS
from tinyrnn.reproductions.carta import CARTAS
from tinyrnn.reproductions.four_networks import FOUR_NETWORKS
from tinyrnn.reproductions.grids import GRIDS
from tinyrnn.reproductions.grosse import GROSSES
from tinyrnn.reproductions.henaff import HENAFFS
from tinyrnn.reproductions.orhan import ORHANS

REPRODUCTIONS = HENAFFS | ORHANS | CARTAS | GRIDS | GROSSES | ARJOVSKYS | FOUR_NETWORKS

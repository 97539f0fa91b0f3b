"""Small mistakes planted in functions, one at a time: `making` makes them, `rules` says which, `scope` where."""

from tinyrnn.sources.mutation.making import Mutant as Mutant
from tinyrnn.sources.mutation.making import combine as combine
from tinyrnn.sources.mutation.making import mutants as mutants
from tinyrnn.sources.mutation.making import mutants_of as mutants_of

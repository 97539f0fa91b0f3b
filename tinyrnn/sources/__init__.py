"""What is in somebody's file: reads the source of functions, finds what there is to judge in a module (`pairs`), and
makes up what to call it with (`inputs`), by what names say (`vocabulary`).

The line verdicts and the gradient check stand on this package. It rewrites functions so that every named value can be
seen, and changed, as it is assigned. A rewritten function does what it did, line for line under the same line numbers,
but after each assignment to `foo` it runs `foo = watch(site, foo)`, where `site` says which assignment that was. What
`watch` does is the caller's business: note the value, perturb one entry of it, put another in its place.
"""

from tinyrnn.sources.expressions import Site as Site
from tinyrnn.sources.program import Program as Program
from tinyrnn.sources.reading import NoSource as NoSource
from tinyrnn.sources.reading import compile_function as compile_function
from tinyrnn.sources.reading import reachable as reachable
from tinyrnn.sources.reading import read as read
from tinyrnn.sources.reading import source_lines as source_lines

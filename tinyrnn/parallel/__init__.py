"""Independent pieces of work on many processors: processes of this machine, or the workers of a Dask cluster."""

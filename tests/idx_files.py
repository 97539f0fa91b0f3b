"""Small files in the IDX format, as MNIST has them."""

import gzip
import struct


def write_idx(path, array):
    """Writes a uint8 array as a gzipped IDX file, and returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(idx_bytes(array), mtime=0))
    return path


def idx_bytes(array):
    """A uint8 array in the IDX format: magic number, dimensions, items."""
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()

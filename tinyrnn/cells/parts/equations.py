"""What `Cell.equations` is written in, for NumPy and for PyTorch, whose autograd owes nothing to this package."""


def sigmoid(lib, z):
    """1 / (1 + e^-z)."""
    return 1 / (1 + lib.exp(-z))


def block(array, k, n):
    """The k-th of n equal blocks along the last axis."""
    size = array.shape[-1] // n
    return array[..., k * size : (k + 1) * size]


def activation(lib, name, z):
    """The function of that name in `tinyrnn.core.activations`."""
    return {
        "tanh": lambda: lib.tanh(z),
        "relu": lambda: lib.where(z > 0, z, 0 * z),
        "elu": lambda: lib.where(z > 0, z, lib.exp(z) - 1),
        "identity": lambda: z,
    }[name]()


def as_complex(a):
    """[Re; Im] as complex numbers."""
    return block(a, 0, 2) + 1j * block(a, 1, 2)


def modrelu(lib, p, z):
    """The state that modReLU with biases p.b makes of complex z, as [Re; Im]."""
    length = abs(z) + p.b
    h = z / abs(z) * length * (length > 0)
    return (lib.concatenate([h.real, h.imag], -1),)


def split_relu(lib, p, z):
    """The state that ReLU makes of real and imaginary parts of complex z, each with its biases, as [Re; Im]."""
    return (activation(lib, "relu", lib.concatenate([z.real, z.imag], -1) + p.b),)


def reflected(h, vectors):
    """The rows h, reflected at the hyperplane of one vector after the other."""
    for u in vectors:
        h = h - 2 * (h @ u)[..., None] * u / (u @ u)
    return h


def expm(lib, A):
    """The matrix exponential, which NumPy has not."""
    if hasattr(lib.linalg, "matrix_exp"):
        return lib.linalg.matrix_exp(A)
    from scipy.linalg import expm

    return expm(A)

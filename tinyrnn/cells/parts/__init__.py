"""What unitary cells are made of: reflections, phases, Fourier transforms, rotations, Kronecker products."""

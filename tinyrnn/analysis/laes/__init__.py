"""The linear autoencoder for sequences (LAES): a linear memory that is found in closed form, without any gradient.

    m_t = A (x_t - mean) + B m_{t-1},    x_t ≈ A^T m_t + mean,    m_{t-1} ≈ B^T m_t

`LinearAutoencoder` has its matrices and does the encoding and decoding, `fitting` finds them from data in three ways,
`classifying` reads labels off the state. `tinyrnn.initialise(cell, "laes", autoencoder=…)` starts a network with it.
"""

from tinyrnn.analysis.laes.autoencoder import LinearAutoencoder as LinearAutoencoder

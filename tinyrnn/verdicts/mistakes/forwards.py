"""Wrong forward passes, and right ones by another convention: edits of the cells' own sources.

A wrong forward pass with a backward pass that fits it gets past every gradient check.
"""

from tinyrnn.verdicts.mistakes.entry import slips
from tinyrnn.verdicts.mistakes.forwards_gru import CHO, GRU
from tinyrnn.verdicts.mistakes.forwards_lstm import LSTM, PEEPHOLE
from tinyrnn.verdicts.mistakes.questions import PLUS, PRODUCT, READ

ELMAN = slips(
    "elman",
    "elman/forward",
    "h_t = φ(x_t W_x + h_{t-1} W_h + b)",
    [
        ("bias-left-out", "a = affine(x, p.W_x)", "no bias", PLUS),
        ("bias-twice", "a = affine(x, p.W_x, 2 * p.b)", "the bias twice", "On how many lines do you add the bias?"),
        ("bias-subtracted", "a = affine(x, p.W_x, -p.b)", "the bias with the opposite sign", PLUS),
        (
            "input-reversed",
            "a = affine(x[::-1], p.W_x, p.b)",
            "the input in reversed order of time",
            "At which end of the input does time begin?",
        ),
        (
            "input-of-the-step-before",
            "a = affine(np.roll(x, 1, axis=0), p.W_x, p.b)",
            "x_{t-1} where x_t belongs, and at step 0 the last input",
            "Which input belongs to step t?",
        ),
        (
            "nonlinearity-on-the-input-too",
            "a = self.phi(affine(x, p.W_x, p.b))",
            "φ around the input's part as well",
            "How often does the input go through φ?",
        ),
        ("state-before-ignored", "h = self.phi(a)", "no h_{t-1}", READ),
        ("recurrent-weights-transposed", "h = self.phi(a + h_prev @ p.W_h.T)", "W_h transposed", PRODUCT),
        (
            "recurrent-weights-left-out",
            "h = self.phi(a + h_prev)",
            "no W_h",
            "What is done to h_{t-1} before it is added?",
        ),
        (
            "sigmoid-for-tanh",
            "h = 1 / (1 + np.exp(-(a + h_prev @ p.W_h)))",
            "a sigmoid in the place of φ",
            "Can your state be negative?",
        ),
        ("no-nonlinearity", "h = a + h_prev @ p.W_h", "no φ", "Can your state grow beyond 1?"),
        (
            "nonlinearity-twice",
            "h = self.phi(self.phi(a + h_prev @ p.W_h))",
            "φ twice",
            "On how many lines is φ applied?",
        ),
        (
            "nonlinearity-on-the-input-alone",
            "h = self.phi(a) + h_prev @ p.W_h",
            "φ around the input's part only, which is a linear-transition network",
            "Is h_{t-1} W_h added before φ or after it?",
        ),
        (
            "nonlinearity-on-each-part",
            "h = self.phi(a) + self.phi(h_prev @ p.W_h)",
            "φ around each part for itself",
            "Does φ see the sum, or each term?",
        ),
        ("state-before-subtracted", "h = self.phi(a - h_prev @ p.W_h)", "a minus before h_{t-1} W_h", PLUS),
        (
            "state-before-added-again",
            "h = h_prev + self.phi(a + h_prev @ p.W_h)",
            "h_{t-1} added outside φ as well",
            READ,
        ),
        (
            "activations-before-the-product",
            "h = self.phi(a + h_prev) @ p.W_h",
            "W_h outside φ",
            "What does W_h multiply?",
        ),
    ],
)

LINEAR = slips(
    "lt-rnn",
    "linear/recurrence",
    "a_t = σ(x_t U + b) and h_t = h_{t-1} V + a_t",
    [
        ("input-not-squashed", "a = affine(x, p.U, p.b)", "no σ", "What happens to the input before it is added?"),
        (
            "input-squashed-twice",
            "a = self.sigma(self.sigma(affine(x, p.U, p.b)))",
            "σ twice",
            "How often is σ applied?",
        ),
        ("linear-bias-left-out", "a = self.sigma(affine(x, p.U))", "no bias", PLUS),
        (
            "bias-behind-the-input",
            "a = self.sigma(affine(x, p.U)) + p.b",
            "b outside σ",
            "Is b added before σ or after it?",
        ),
        ("transition-transposed", "h = h_prev @ p.V.T + a", "V transposed", PRODUCT),
        ("transition-left-out", "h = h_prev + a", "no V", "What is done to h_{t-1} before it is added?"),
        (
            "transition-squashed",
            "h = self.sigma(h_prev @ p.V + a)",
            "σ around the sum",
            "Is the way from h_{t-1} to h_t meant to be linear?",
        ),
        (
            "carry-squashed",
            "h = self.sigma(h_prev @ p.V) + a",
            "σ around the carry",
            "Is the way from h_{t-1} to h_t meant to be linear?",
        ),
        ("linear-state-before-ignored", "h = a", "no h_{t-1}", READ),
        ("linear-state-before-subtracted", "h = a - h_prev @ p.V", "a minus before the carry", READ),
    ],
)

MEMORY = slips(
    "lmn",
    "lmn/memory",
    "h_t = tanh(x_t W_xh + b_h + m_{t-1} W_mh) and m_t = h_t W_hm + m_{t-1} W_mm + b_m",
    [
        ("memory-not-read", "h = tanh(a)", "no m_{t-1} in h_t", READ),
        ("hidden-unit-linear", "h = a + m_prev @ p.W_mh", "no tanh", "Which of the two units is linear?"),
        ("memory-not-kept", "m = h @ p.W_hm + p.b_m", "no m_{t-1} in m_t", READ),
        ("memory-not-written", "m = m_prev @ p.W_mm + p.b_m", "no h_t in m_t", READ),
        ("memory-bias-left-out", "m = h @ p.W_hm + m_prev @ p.W_mm", "no b_m", PLUS),
        (
            "memory-squashed",
            "m = tanh(h @ p.W_hm + m_prev @ p.W_mm + p.b_m)",
            "a tanh on the memory",
            "Which of the two units is linear?",
        ),
        ("memory-transposed", "m = h @ p.W_hm + m_prev @ p.W_mm.T + p.b_m", "W_mm transposed", PRODUCT),
    ],
)

STEP = "Which map, with which parameter, comes at this step?"
URNN = slips(
    "urnn",
    "unitary/forward",
    "W = D_3 R_2 F⁻¹ D_2 Π R_1 F D_1, the rightmost first, then z_t = W h_{t-1} + V x_t and h_t = modReLU(z_t)",
    [
        ("wrong-first-phase", "y1 = phases(h_prev, p.D_3)", "D_3 where D_1 belongs", STEP),
        ("no-first-phase", "y1 = h_prev", "no D_1", STEP),
        ("first-phase-conjugated", "y1 = phases_backward(h_prev, p.D_1)", "the conjugate of D_1", STEP),
        ("no-fourier", "y2 = y1", "no F", STEP),
        ("wrong-way-fourier", "y2 = inverse_fourier(y1)", "F⁻¹ where F belongs", STEP),
        (
            "fourier-not-normalised",
            "y2 = fourier(y1) * self.hidden_size**0.5",
            "F without 1/√n",
            "Does the length of the vector stay the same?",
        ),
        ("no-first-mirror", "y3 = y2", "no R_1", STEP),
        ("wrong-first-mirror", "y3 = reflection(y2, p.R_2)", "R_2 where R_1 belongs", STEP),
        ("no-permutation", "y4 = y3", "no Π", STEP),
        ("inverse-permutation", "y4 = permutation(y3, p.perm_inverse)", "the inverse of Π", STEP),
        ("no-second-phase", "y5 = y4", "no D_2", STEP),
        ("wrong-second-phase", "y5 = phases(y4, p.D_1)", "D_1 where D_2 belongs", STEP),
        ("second-phase-conjugated", "y5 = phases_backward(y4, p.D_2)", "the conjugate of D_2", STEP),
        ("fourier-twice", "y6 = fourier(y5)", "F where F⁻¹ belongs", STEP),
        ("no-inverse-fourier", "y6 = y5", "no F⁻¹", STEP),
        ("no-second-mirror", "y7 = y6", "no R_2", STEP),
        ("first-mirror-twice", "y7 = reflection(y6, p.R_1)", "R_1 where R_2 belongs", STEP),
        ("no-third-phase", "y8 = y7", "no D_3", STEP),
        ("first-phase-twice", "y8 = phases(y7, p.D_1)", "D_1 where D_3 belongs", STEP),
        ("third-phase-conjugated", "y8 = phases_backward(y7, p.D_3)", "the conjugate of D_3", STEP),
        ("unitary-state-ignored", "z = a", "no W h_{t-1}", READ),
        ("unitary-input-ignored", "z = y8", "no V x_t", READ),
        ("unitary-input-subtracted", "z = y8 - a", "a minus before V x_t", "How is the input added?"),
        (
            "modrelu-bias-subtracted",
            "h = modrelu(z, -p.b)",
            "|z| - b where |z| + b belongs",
            "Does a larger b open the unit?",
        ),
        (
            "modrelu-without-its-bias",
            "h = modrelu(z, 0 * p.b)",
            "no b, and so no nonlinearity",
            "What makes it nonlinear?",
        ),
    ],
)

FORWARDS = [*ELMAN, *LINEAR, *MEMORY, *LSTM, *PEEPHOLE, *GRU, *CHO, *URNN]

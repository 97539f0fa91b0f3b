"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant, renamed

NAMES = (
    renamed(turnstile="swivel", shuffle="scramble", leaky_phases="fading_phases", modtanh="length_tanh"),
    renamed(turnstile="hinge", shuffle="stir", leaky_phases="waning_phases", modtanh="soft_length"),
)
MINUS_ANGLE = {
    "1 - (1 - e^{i \\varphi})": "1 - (1 - e^{-i \\varphi})",
    "(1 - np.exp(1j * p": "(1 - np.exp(-1j * p",
    "1 - np.exp(1j * phi)": "1 - np.exp(-1j * phi)",
    "1 - np.exp(-1j * phi)": "1 - np.exp(1j * phi)",
    "(z - along) + np.exp(1j * phi)": "(z - along) + np.exp(-1j * phi)",
    "(1j * np.exp(1j * phi)": "(-1j * np.exp(-1j * phi)",
    "(-1j * np.exp(1j * phi)": "(1j * np.exp(-1j * phi)",
    "dphi = (np.exp(1j * phi)": "dphi = (np.exp(-1j * phi)",
    "dphi = -(np.exp(1j * phi)": "dphi = (np.exp(-1j * phi)",
    "Re(i a) as -Im(a)": "Re(-i a) as Im(a)",
    "there are two minus signs before e^{i phi}": "count the minus signs",
    "turned by -phi": "turned by phi, not by -phi",
    "e^{i phi}": "e^{-i phi}",
    "turns the part of z along v by phi": "turns the part of z along v by -phi",
    "R v = e^{iφ} v": "R v = e^{-iφ} v",
}
SINES_TAKEN_OFF = {
    "\\cos \\frac{2 \\pi j k}{n} + \\sin": "\\cos \\frac{2 \\pi j k}{n} - \\sin",
    "spectrum.real - spectrum.imag": "spectrum.real + spectrum.imag",
    "spectrum.real + spectrum.imag": "spectrum.real - spectrum.imag",
    "((1 - 1j) * down + (1 + 1j) * up) / 2": "((1 + 1j) * down + (1 - 1j) * up) / 2",
    "np.cos(jk) + np.sin(jk)": "np.cos(jk) - np.sin(jk)",
    "(cos(2 pi jk / n) + sin(2 pi jk / n))": "(cos(2 pi jk / n) - sin(2 pi jk / n))",
    "cos + sin": "cos - sin",
    "the sines have the wrong sign: the Fourier transform has e to the minus i": "the sines have the wrong sign",
}
WHOLE = ("step", "step_backward")
VARIANTS = (
    Variant("names of exercise 5", (), *NAMES, everywhere=True),
    Variant("which way the turnstile turns", ("turnstile", "turnstile_backward", *WHOLE), MINUS_ANGLE),
    Variant("the sign of the sines", ("shuffle", "shuffle_backward", *WHOLE), SINES_TAKEN_OFF),
)

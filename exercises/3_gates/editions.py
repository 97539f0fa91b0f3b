"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant

NAMES = (
    {
        "gate_table": "gate_settings",
        "coupled_step": "shared_step",
        "coupled_sequence": "shared_sequence",
        "coupled_jacobian": "shared_jacobian",
        "mgu_step": "minimal_step",
    },
    {
        "gate_table": "obedient_gates",
        "coupled_step": "paired_step",
        "coupled_sequence": "paired_sequence",
        "coupled_jacobian": "paired_jacobian",
        "mgu_step": "one_gate_step",
    },
)


def order(x, y, z):
    """Gates side by side as `x`, `y`, `z`; a known mistake exchanges f and o."""
    swapped = {"f": "o", "o": "f", "g": "g"}
    a, b, c = (swapped[gate] for gate in (x, y, z))
    return {
        "Gates f, o, g.": f"Gates {x}, {y}, {z}.",
        "locks f, o, g": f"locks {x}, {y}, {z}",
        "order is f, o, g": f"order is {x}, {y}, {z}",
        '+ b\\n    a_f"': f'+ b\\n    a_{x}"',
        "a_f, a_o, a_g = np.split(a, 3": f"a_{x}, a_{y}, a_{z} = np.split(a, 3",  # those of the LSTM are four
        "a_o, a_f, a_g = np.split(a, 3": f"a_{a}, a_{b}, a_{c} = np.split(a, 3",
        "[da_f, da_o, da_g]": f"[da_{x}, da_{y}, da_{z}]",
        "[da_o, da_f, da_g]": f"[da_{a}, da_{b}, da_{c}]",
        "Wf, Wo, Wg = np.split": f"W{x}, W{y}, W{z} = np.split",
        "f, o, g = np.split(W, 3": f"{x}, {y}, {z} = np.split(W, 3",
    }


KEEPS = {
    "h &= (1 - f) \\circ h_\\text{prev} + f \\circ n": "h &= f \\circ h_\\text{prev} + (1 - f) \\circ n",
    "h = (1 - f) ∘ h_prev + f ∘ n": "h = f ∘ h_prev + (1 - f) ∘ n",
    "h = (1 - f) * h_prev + f * n": "h = f * h_prev + (1 - f) * n",
    "dn = dh * f\n    da_n": "dn = dh * (1 - f)\n    da_n",
    '"dn = dh * f", "dn = dh * (1 - f)"': '"dn = dh * (1 - f)\\n    da_n", "dn = dh * f\\n    da_n"',
    "df = dh * (n - h_prev)": "df = dh * (h_prev - n)",
    "df = dh * (h_prev - n)": "df = dh * (n - h_prev)",
    "dh_prev = dh * (1 - f) + ds": "dh_prev = dh * f + ds",
    "dh_prev = dh * (1 - f) + da_f": "dh_prev = dh * f + da_f",
    "dh_prev = dh * f + ds": "dh_prev = dh * (1 - f) + ds",
    "df = dh * n - dh * h_prev + h_prev * ds": "df = dh * h_prev - dh * n + h_prev * ds",
    '"dh * (1 - f) + ds * f + da_f", "dh + f * (ds - dh) + da_f"': '"dh * f + ds * f + da_f", "f * (dh + ds) + da_f"',
    "f = 1 was taken to keep the old state: in this cell it lets in the new": (
        "f = 1 was taken to let in the new: in this cell it keeps the old state"
    ),
    "here f = 1 lets in the *new*, although its authors call it a forget gate": (
        "here f = 1 keeps the *old*, although its authors wrote it the other way round"
    ),
}
COUPLED = ("coupled_step", "coupled_step_backward", "coupled_sequence", "coupled_sequence_backward", "coupled_jacobian")
VARIANTS = (
    Variant("names of exercise 3", (), *NAMES, everywhere=True),
    Variant("the order of the gates", COUPLED, order("g", "f", "o"), order("o", "g", "f")),
    Variant("what an open minimal gate does", ("mgu_step_backward",), KEEPS),
)

"""Known mistakes of exercise 3, and other right solutions. Most were seen in public code and homework of the LSTM and
the GRU; the rest are what the coupled gate and the minimal gated unit add to them."""

from tinyrnn.grading import Mistake


def wrong(task, *rows):
    """Mistakes of one task: (name, old, new, title) each; names begin with what is broken."""
    return tuple(Mistake(name=name, task=task, old=old, new=new, title=title) for name, old, new, title in rows)


def right(task, *rows):
    return tuple(
        Mistake(name=name, task=task, old=old, new=new, title="another right solution", accepted=True)
        for name, old, new in rows
    )


LSTM = wrong(
    "lstm_step",
    ("lstm-candidate-by-sigmoid", "i = sigmoid(a_i)\n    f = sigmoid(a_f)\n    o = sigmoid(a_o)\n    g = np.tanh(a_g)",
     "i = sigmoid(a_i)\n    f = sigmoid(a_f)\n    o = sigmoid(a_o)\n    g = sigmoid(a_g)",
     "g went through a sigmoid: the cell could only grow"),
    ("lstm-output-without-tanh", "c = f * c_prev + i * g\n    h = o * np.tanh(c)",
     "c = f * c_prev + i * g\n    h = o * c",
     "h shows the cell itself, not the cell's tanh"),
    ("lstm-output-of-the-old-cell", "c = f * c_prev + i * g\n    h = o * np.tanh(c)",
     "c = f * c_prev + i * g\n    h = o * np.tanh(c_prev)", "h was read from the cell before the step"),
    ("lstm-gates-i-and-f-exchanged", "a_i, a_f, a_o, a_g = np.split", "a_f, a_i, a_o, a_g = np.split",
     "the blocks of i and f are exchanged: the order is i, f, o, g"),
    ("lstm-old-state-left-out", "a = x @ Wx + h_prev @ Wh + b\n    a_i", "a = x @ Wx + b\n    a_i",
     "the gates do not look at h_prev"),
)  # fmt: skip

LSTM_BACKWARD = wrong(
    "lstm_step_backward",
    ("lstm-path-through-h-left-out", "dc = dc + dtanh_c * (1 - tanh_c**2)", "dc = dc + 0 * dtanh_c",
     "the cell gets no gradient from h"),
    ("lstm-next-step-left-out", "dc = dc + dtanh_c * (1 - tanh_c**2)", "dc = dtanh_c * (1 - tanh_c**2)",
     "the gradient that came for c is not used"),
    ("lstm-tanh-differentiated-at-the-wrong-place", "dtanh_c * (1 - tanh_c**2)", "dtanh_c * (1 - c**2)",
     "the slope of the tanh was taken as if c were its output"),
    ("lstm-forget-gate-times-the-new-cell", "df = dc * c_prev\n", "df = dc * c\n",
     "f's gradient was taken with the cell after the step"),
    ("lstm-carry-without-the-gate", "dg = dc * i\n    dc_prev = dc * f", "dg = dc * i\n    dc_prev = dc",
     "what goes back to c_prev did not pass the gate f"),
    ("lstm-sigmoid-slope-missing", "df * f * (1 - f), do * o * (1 - o), dg", "df, do * o * (1 - o), dg",
     "f's gradient did not go back through its sigmoid"),
)  # fmt: skip

GRU = wrong(
    "gru_step",
    ("gru-old-and-new-exchanged", "h = (1 - z) * n + z * h_prev", "h = z * n + (1 - z) * h_prev",
     "z and 1 - z are exchanged: that is another convention, here z = 1 keeps the old state"),
    ("gru-reset-before-the-product", "r * (u_n + bn))", "(r * h_prev) @ Wh[:, 2 * r.shape[1] :] + bn)",
     "r resets before the product: that is another convention (Cho et al. 2014), here it comes after"),
    ("gru-reset-spares-the-bias", "r * (u_n + bn))", "r * u_n + bn)", "r does not reset bn"),
    ("gru-gates-exchanged", "a_r, a_z, a_n = np.split(a, 3, axis=1)\n    u_r, u_z, u_n",
     "a_z, a_r, a_n = np.split(a, 3, axis=1)\n    u_z, u_r, u_n", "the blocks of r and z are exchanged"),
)  # fmt: skip

GRU_BACKWARD = wrong(
    "gru_step_backward",
    ("gru-direct-path-left-out", "dh_prev = dh * z + du @ Wh.T", "dh_prev = du @ Wh.T",
     "the way past all gates, from h straight to h_prev, is missing"),
    ("gru-product-not-gated", "du = np.concatenate([da_r, da_z, du_n], axis=1)",
     "du = np.concatenate([da_r, da_z, da_n], axis=1)", "what goes back into the third block of Wh was not reset by r"),
    ("gru-update-gate-sign", "dz = dh * (h_prev - n)", "dz = dh * (n - h_prev)", "z's gradient has the wrong sign"),
    ("gru-reset-gate-with-the-old-state", "dr = da_n * (h_prev @ Wh[:, 2 * k :] + bn)", "dr = da_n * h_prev",
     "r's gradient was taken with h_prev itself: that is not what r multiplied"),
    ("gru-candidate-weighted-by-z", "dn = dh * (1 - z)", "dn = dh * z", "n's gradient was weighted as the old state's"),
)  # fmt: skip

TABLE = (
    *wrong(
        "gate_table",
        ("table-order-of-commands-assumed", "in enumerate(commands)",
         'in enumerate(("keep", "add", "erase", "write"))'
         , "the order of the commands was taken to be that of the text"),
        ("table-gates-exchanged", '{"i": ("add", "write"), "f": ("keep", "add")}',
         '{"f": ("add", "write"), "i": ("keep", "add")}', "what keeps and what lets in are exchanged"),
        ("table-add-forgets", '"f": ("keep", "add")}', '"f": ("keep",)}', '"add" forgets what was there'),
        ("table-write-adds", '"f": ("keep", "add")}', '"f": ("keep", "add", "write")}',
         '"write" keeps what was there and adds to it'),
        ("table-gates-ajar", "wide = 40.0  #", "wide = 8.0  #", "the gates are neither quite open nor quite shut"),
        ("table-half-open-without-a-command", "weights[gate][-1] = -wide / 2", "weights[gate][-1] = 0.0",
         "a gate that no command opens stands half open: sigmoid(0) is 1/2"),
        ("table-always-read", 'weights["o"][5], weights["o"][6] = wide, -wide / 2',
         'weights["o"][5], weights["o"][6] = 0.0, wide / 2', "the output gate is open without being told"),
        ("table-value-not-read", 'weights["g"][0] = 1.0', 'weights["g"][-1] = 1.0', "g does not look at the value"),
    ),
    *right(
        "gate_table",
        ("table-wider", "wide = 40.0  #", "wide = 90.0  #"),
        ("table-closed-by-commands",
         "        weights[gate][-1] = -wide / 2\n        for place, command in enumerate(commands):\n"
         "            weights[gate][1 + place] = wide * (command in openers)\n",
         "        for command in openers:\n            weights[gate][1 + commands.index(command)] += 50.0\n"
         "        weights[gate][1:5] -= 25.0\n"),
    ),
)  # fmt: skip

STEP = (
    *wrong(
        "coupled_step",
        ("coupled-old-and-new-exchanged", "c = f * c_prev + (1 - f) * g", "c = (1 - f) * c_prev + f * g",
         "f and 1 - f are exchanged: f = 1 is to keep the cell"),
        ("coupled-candidate-not-weighted", "c = f * c_prev + (1 - f) * g", "c = f * c_prev + g",
         "g comes in whole, whatever f is"),
        ("coupled-candidate-let-in-by-f", "c = f * c_prev + (1 - f) * g", "c = f * c_prev + f * g",
         "f lets g in as well as the old cell: it makes no room"),
        ("coupled-candidate-by-sigmoid", "o = sigmoid(a_o)\n    g = np.tanh(a_g)\n    c = f * c_prev + (1",
         "o = sigmoid(a_o)\n    g = sigmoid(a_g)\n    c = f * c_prev + (1", "g went through a sigmoid"),
        ("coupled-output-without-tanh", "(1 - f) * g\n    h = o * np.tanh(c)", "(1 - f) * g\n    h = o * c",
         "h shows the cell itself, not the cell's tanh"),
        ("coupled-output-of-the-old-cell", "(1 - f) * g\n    h = o * np.tanh(c)",
         "(1 - f) * g\n    h = o * np.tanh(c_prev)", "h was read from the cell before the step"),
        ("coupled-gates-exchanged", "a_f, a_o, a_g = np.split(a, 3", "a_o, a_f, a_g = np.split(a, 3",
         "the blocks of f and o are exchanged: the order is f, o, g"),
        ("coupled-forget-bias-added",
         "h_prev @ Wh + b\n    a_f, a_o, a_g = np.split(a, 3, axis=1)\n    f = sigmoid(a_f)",
         "h_prev @ Wh + b\n    a_f, a_o, a_g = np.split(a, 3, axis=1)\n    f = sigmoid(a_f + 1)",
         "f has 1 added to its bias: an initial value of b, not a part of the step"),
        ("coupled-old-state-left-out", "a = x @ Wx + h_prev @ Wh + b\n    a_f", "a = x @ Wx + b\n    a_f",
         "the gates do not look at h_prev"),
    ),
    *right(
        "coupled_step",
        ("coupled-towards-the-candidate", "c = f * c_prev + (1 - f) * g", "c = g + f * (c_prev - g)"),
        ("coupled-exponential-sigmoid",
         "    f = sigmoid(a_f)\n    o = sigmoid(a_o)\n    g = np.tanh(a_g)\n    c = f * c_prev + (1 - f)",
         "    f = np.exp(-np.logaddexp(0, -a_f))\n    o = np.exp(-np.logaddexp(0, -a_o))\n    g = np.tanh(a_g)\n"
         "    c = f * c_prev + (1 - f)"),
    ),
)  # fmt: skip

CELL = "dc = dc + dh * o * (1 - tanh_c**2)"

STEP_BACKWARD = (
    *wrong(
        "coupled_step_backward",
        ("coupled-back-f-only-keeps", "df = dc * (c_prev - g)", "df = dc * c_prev",
         "f's gradient knows that f keeps the old, not that it shuts out the new"),
        ("coupled-back-f-adds-up", "df = dc * (c_prev - g)", "df = dc * (c_prev + g)",
         "f's gradient has the wrong sign where f shuts out the new"),
        ("coupled-back-f-sign", "df = dc * (c_prev - g)", "df = dc * (g - c_prev)", "f's gradient has the wrong sign"),
        ("coupled-back-candidate-by-f", "dg = dc * (1 - f)", "dg = dc * f",
         "g's gradient was weighted as the old cell's"),
        ("coupled-back-carry-by-the-rest", "dg = dc * (1 - f)\n    dc_prev = dc * f",
         "dg = dc * (1 - f)\n    dc_prev = dc * (1 - f)", "the old cell's gradient was weighted as g's"),
        ("coupled-back-carry-without-the-gate", "dg = dc * (1 - f)\n    dc_prev = dc * f",
         "dg = dc * (1 - f)\n    dc_prev = dc", "what goes back to c_prev did not pass the gate f"),
        ("coupled-back-path-through-h-left-out", CELL, "dc = dc + 0 * dh", "the cell gets no gradient from h"),
        ("coupled-back-next-step-left-out", CELL, "dc = dh * o * (1 - tanh_c**2)",
         "the gradient that came for c is not used"),
        ("coupled-back-slope-over-the-sum", CELL, "dc = (dc + dh * o) * (1 - tanh_c**2)",
         "the slope of the tanh was put on the next step's part too: only h looks at the cell through it"),
        ("coupled-back-tanh-at-the-wrong-place", CELL, "dc = dc + dh * o * (1 - c**2)",
         "the slope of the tanh was taken as if c were its output"),
        ("coupled-back-tanh-slope-missing", CELL, "dc = dc + dh * o", "the tanh between cell and h has no slope"),
        ("coupled-back-output-gate-times-cell", "do = dh * tanh_c\n    dc = dc + dh", "do = dh * c\n    dc = dc + dh",
         "o's gradient was taken with the cell itself: that is not what o multiplied"),
        ("coupled-back-f-slope-missing", "da_f = df * f * (1 - f)\n    da_o", "da_f = df\n    da_o",
         "f's gradient did not go back through its sigmoid"),
        ("coupled-back-o-slope-missing", "da_o = do * o * (1 - o)", "da_o = do",
         "o's gradient did not go back through its sigmoid"),
        ("coupled-back-g-as-a-sigmoid", "da_g = dg * (1 - g**2)", "da_g = dg * g * (1 - g)",
         "g's gradient went back through a sigmoid: g is a tanh"),
        ("coupled-back-g-slope-missing", "da_g = dg * (1 - g**2)", "da_g = dg",
         "g's gradient did not go back through its tanh"),
        ("coupled-back-blocks-exchanged", "[da_f, da_o, da_g]", "[da_o, da_f, da_g]",
         "the blocks of f and o are exchanged"),
        ("coupled-back-state-by-f-alone", "dh_prev = da @ Wh.T\n    dWx = x.T @ da\n    dWh = h_prev.T @ da\n"
         "    db = da.sum(axis=0)\n    return {\"dx\": dx, \"dh_prev\": dh_prev, \"dc_prev\": dc_prev, \"dWx\": dWx, "
         "\"dWh\": dWh, \"db\": db}\n    # END SOLUTION\n\n\n# 4",
         "dh_prev = da_f @ Wh[:, : f.shape[1]].T\n    dWx = x.T @ da\n    dWh = h_prev.T @ da\n"
         "    db = da.sum(axis=0)\n    return {\"dx\": dx, \"dh_prev\": dh_prev, \"dc_prev\": dc_prev, \"dWx\": dWx, "
         "\"dWh\": dWh, \"db\": db}\n    # END SOLUTION\n\n\n# 4", "h_prev gets its gradient through the gate f alone"),
    ),
    *right(
        "coupled_step_backward",
        ("coupled-back-f-in-two-parts", "df = dc * (c_prev - g)", "df = dc * c_prev - dc * g"),
        ("coupled-back-cosh", CELL, "dc = dc + dh * o / np.cosh(c) ** 2"),
        ("coupled-back-einsum", "[da_f, da_o, da_g], axis=1)\n    dx = da @ Wx.T",
         "[da_f, da_o, da_g], axis=1)\n    dx = np.einsum(\"bk,mk->bm\", da, Wx)"),
    ),
)  # fmt: skip

SEQUENCE = (
    *wrong(
        "coupled_sequence",
        ("sequence-mask-ignored", "on = mask[t][:, None]\n        h_new", "on = True\n        h_new",
         "the mask is ignored: whoever pauses goes on"),
        ("sequence-cell-not-carried", "c = np.where(on, c_new, c)", "c = c_new", "h pauses, but the cell goes on"),
        ("sequence-state-not-carried", "h = np.where(on, h_new, h)", "h = h_new", "the cell pauses, but h goes on"),
        ("sequence-pause-erases", "h = np.where(on, h_new, h)\n        c = np.where(on, c_new, c)",
         "h = np.where(on, h_new, 0)\n        c = np.where(on, c_new, 0)", "a pause sets the states to zero"),
        ("sequence-initial-state-ignored", "h, c = h0, c0\n    for t", "h, c = 0 * h0, c0\n    for t",
         "h0 is not used"),
        ("sequence-initial-cell-ignored", "h, c = h0, c0\n    for t", "h, c = h0, 0 * c0\n    for t", "c0 is not used"),
        ("sequence-states-before-the-step",
         "        h = np.where(on, h_new, h)\n        c = np.where(on, c_new, c)\n        H[t] = h\n        C[t] = c",
         "        H[t] = h\n        C[t] = c\n        h = np.where(on, h_new, h)\n        c = np.where(on, c_new, c)",
         "what is kept are the states before each step, not after it"),
        ("sequence-pause-not-kept", "        H[t] = h\n        C[t] = c", "        H[t] = h_new\n        C[t] = c_new",
         "what is kept at a pause are the states of the step that did not count"),
    ),
    *right(
        "coupled_sequence",
        ("sequence-mask-as-a-factor", "h = np.where(on, h_new, h)\n        c = np.where(on, c_new, c)",
         "h = on * h_new + (1 - on) * h\n        c = on * c_new + (1 - on) * c"),
        ("sequence-moved-by-the-mask", "h = np.where(on, h_new, h)\n        c = np.where(on, c_new, c)",
         "h = h + on * (h_new - h)\n        c = c + on * (c_new - c)"),
    ),
)  # fmt: skip

STEP_BACK = "back = coupled_step_backward(dh * on, dc * on, X[t]"

SEQUENCE_BACKWARD = (
    *wrong(
        "coupled_sequence_backward",
        ("through-time-weights-overwritten", 'dWx += back["dWx"]\n        dWh += back["dWh"]\n        db += back["db"]',
         'dWx = back["dWx"]\n        dWh = back["dWh"]\n        db = back["db"]',
         "the weights' gradients are those of the first step alone: each step replaced what was there"),
        ("through-time-bias-overwritten", 'db += back["db"]', 'db = back["db"]',
         "the bias's gradient is that of the first step alone"),
        ("through-time-state-not-carried", "dh = dh + dH[t]", "dh = dH[t] + (dh_T if t == len(X) - 1 else 0)",
         "no gradient of h is handed on to the step before"),
        ("through-time-cell-not-carried",
         STEP_BACK, "back = coupled_step_backward(dh * on, dc_T * on * (t == len(X) - 1), X[t]",
         "no gradient of the cell is handed on to the step before"),
        ("through-time-upstream-at-the-end-only", "dh = dh + dH[t]", "dh = dh + dH[t] * (t == len(X) - 1)",
         "of what reads the states only the last step is heard"),
        ("through-time-final-state-ignored", "dh, dc = dh_T, dc_T", "dh, dc = 0 * dh_T, dc_T", "dh_T is not used"),
        ("through-time-final-cell-ignored", "dh, dc = dh_T, dc_T", "dh, dc = dh_T, 0 * dc_T", "dc_T is not used"),
        ("through-time-pause-blocks",
         'dh = np.where(on, back["dh_prev"], dh)\n        dc = np.where(on, back["dc_prev"], dc)',
         'dh = back["dh_prev"]\n        dc = back["dc_prev"]',
         "a pause lets no gradient through: what came before it is not told of what comes after"),
        ("through-time-pause-blocks-the-cell", 'dc = np.where(on, back["dc_prev"], dc)', 'dc = back["dc_prev"]',
         "a pause lets no gradient of the cell through"),
        ("through-time-pause-learns", STEP_BACK, "back = coupled_step_backward(dh, dc, X[t]",
         "weights and inputs get gradients from steps at which a sequence paused"),
        ("through-time-pause-not-heard", "dh = dh + dH[t]", "dh = dh + dH[t] * on",
         "what reads a state during a pause is not heard: it reads the state that was carried"),
        ("through-time-mask-ignored", "on = mask[t][:, None]\n        h_prev", "on = True\n        h_prev",
         "the mask is ignored"),
        ("through-time-new-states-for-old", "(H[t - 1], C[t - 1]) if t > 0 else (h0, c0)", "(H[t], C[t])",
         "the states after a step were taken for those before it"),
        ("through-time-initial-states-zero", "if t > 0 else (h0, c0)", "if t > 0 else (0 * h0, 0 * c0)",
         "h0 and c0 were taken to be zero"),
        ("through-time-initial-state-wraps", "(H[t - 1], C[t - 1]) if t > 0 else (h0, c0)", "(H[t - 1], C[t - 1])",
         "before the first step stands the last one: an index of -1"),
        ("through-time-upstream-late", "dh = dh + dH[t]", "dh = dh + dH[t - 1]", "dH is read one step off"),
    ),
    *right(
        "coupled_sequence_backward",
        ("through-time-parts-kept-apart",
         'dh = np.where(on, back["dh_prev"], dh)\n        dc = np.where(on, back["dc_prev"], dc)',
         'dh = dh * ~on + back["dh_prev"]\n        dc = dc * ~on + back["dc_prev"]'),
        ("through-time-sums-from-the-end", 'db += back["db"]', 'db = back["db"] + db'),
    ),
)  # fmt: skip

JACOBIAN = (
    *wrong(
        "coupled_jacobian",
        ("jacobian-of-untransposed-weights", "Wf, Wo, Wg = np.split(Wh, 3, axis=1)",
         "Wf, Wo, Wg = (W.T for W in np.split(Wh, 3, axis=1))",
         "all blocks of weights come in as they stand: j and k have changed places"),
        ("jacobian-transposed", "* Wf.T + by_g[:, :, None] * Wg.T", "* Wf + by_g[:, :, None] * Wg",
         "rows and columns are exchanged: the first index is what changes"),
        ("jacobian-scaled-in-columns", "by_f[:, :, None] * Wf.T + by_g[:, :, None] * Wg.T",
         "by_f[:, None, :] * Wf.T + by_g[:, None, :] * Wg.T", "the slopes are those of the wrong index"),
        ("jacobian-f-only-keeps", "by_f = (c_prev - g) * f", "by_f = c_prev * f",
         "f is taken to keep the old, not to shut out the new as well"),
        ("jacobian-f-slope-missing", "by_f = (c_prev - g) * f * (1 - f)", "by_f = c_prev - g", "f has no slope"),
        ("jacobian-candidate-by-f", "by_g = (1 - f) * (1 - g**2)", "by_g = f * (1 - g**2)",
         "g is weighted as the old cell is"),
        ("jacobian-cell-not-gated", "cc = f[:, :, None] * np.eye(n)", "cc = np.ones_like(f)[:, :, None] * np.eye(n)",
         "the cell's own block is the identity whatever the gate is"),
        ("jacobian-output-gate-left-out", "hh = through_c * ch + (tanh_c * o * (1 - o))[:, :, None] * Wo.T",
         "hh = through_c * ch", "h feels h_prev through the cell alone, not through its own gate"),
        ("jacobian-cell-path-left-out", "hh = through_c * ch + (tanh_c", "hh = (tanh_c",
         "h feels h_prev through its own gate alone, not through the cell"),
        ("jacobian-output-without-tanh-slope", "through_c = (o * (1 - tanh_c**2))[:, :, None]",
         "through_c = o[:, :, None]",
         "the tanh between cell and h has no slope"),
        ("jacobian-tanh-at-the-wrong-place", "through_c = (o * (1 - tanh_c**2))", "through_c = (o * (1 - c**2))",
         "the slope of the tanh was taken as if c were its output"),
    ),
    *right(
        "coupled_jacobian",
        ("jacobian-by-einsum", "ch = by_f[:, :, None] * Wf.T + by_g[:, :, None] * Wg.T",
         'ch = np.einsum("sj,kj->sjk", by_f, Wf) + np.einsum("sj,kj->sjk", by_g, Wg)'),
        ("jacobian-by-matrix-products", "hc = through_c * cc", "hc = (through_c * np.eye(n)) @ cc"),
    ),
)  # fmt: skip

MINIMAL = (
    *wrong(
        "mgu_step_backward",
        ("minimal-f-does-not-reset", "df = dh * (n - h_prev) + ds * h_prev", "df = dh * (n - h_prev)",
         "f's gradient lacks what came through the candidate, where f resets"),
        ("minimal-f-does-not-update", "df = dh * (n - h_prev) + ds * h_prev", "df = ds * h_prev",
         "f's gradient lacks what came from h, where f weighs old against new"),
        ("minimal-f-sign", "df = dh * (n - h_prev)", "df = dh * (h_prev - n)",
         "f's gradient from h has the wrong sign"),
        ("minimal-direct-path-left-out", "dh_prev = dh * (1 - f) + ds * f", "dh_prev = ds * f",
         "the way from h straight to h_prev is missing"),
        ("minimal-reset-path-left-out", "dh_prev = dh * (1 - f) + ds * f + da_f", "dh_prev = dh * (1 - f) + da_f",
         "the way to h_prev through the candidate is missing"),
        ("minimal-gate-path-left-out", " + da_f @ Wh[:, :k].T", "", "the way to h_prev through the gate is missing"),
        ("minimal-old-and-new-exchanged", "dh_prev = dh * (1 - f) + ds", "dh_prev = dh * f + ds",
         "f = 1 was taken to keep the old state: in this cell it lets in the new"),
        ("minimal-candidate-by-the-rest", "dn = dh * f", "dn = dh * (1 - f)",
         "n's gradient was weighted as the old state's"),
        ("minimal-reset-not-gated", "+ ds * f + da_f", "+ ds + da_f",
         "what goes back through the candidate did not pass f"),
        ("minimal-weights-of-the-whole-state", "s.T @ da_n], axis=1)", "h_prev.T @ da_n], axis=1)",
         "the second half of dWh was made with h_prev: that is not what those weights multiplied"),
        ("minimal-gate-slope-missing", "da_f = df * f * (1 - f)\n    dh_prev", "da_f = df\n    dh_prev",
         "f's gradient did not go back through its sigmoid"),
        ("minimal-candidate-slope-missing", "da_n = dn * (1 - n**2)\n    ds", "da_n = dn\n    ds",
         "n's gradient did not go back through its tanh"),
    ),
    *right(
        "mgu_step_backward",
        ("minimal-gate-in-two-parts", "df = dh * (n - h_prev) + ds * h_prev",
         "df = dh * n - dh * h_prev + h_prev * ds"),
        ("minimal-state-factored", "dh * (1 - f) + ds * f + da_f", "dh + f * (ds - dh) + da_f"),
    ),
)  # fmt: skip

MISTAKES = (
    *LSTM, *LSTM_BACKWARD, *GRU, *GRU_BACKWARD, *TABLE, *STEP, *STEP_BACKWARD, *SEQUENCE, *SEQUENCE_BACKWARD,
    *JACOBIAN, *MINIMAL,
)  # fmt: skip

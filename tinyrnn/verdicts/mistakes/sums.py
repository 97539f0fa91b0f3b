"""Mistakes of every recurrent network in what is summed over time and batch: weights and biases; and in the input.

Written once for all cells, as functions that fill in the names.
"""

from tinyrnn.verdicts.mistakes.entry import maker

# How what a weight multiplies, and the gradient of what it produces, look in an equation.
MATHS = {
    "x": "x_t",
    "h_prev": "h_{t-1}",
    "m_prev": "m_{t-1}",
    "h": "h_t",
    "q": "q_t",
    "da * (1 - a * a)": "da_t σ'",
}


def maths(name):
    """The symbol of a name in an equation: `x_t` for x, `h_{t-1}` for h_prev."""
    return MATHS.get(name, f"({name})_t" if "_" in name else f"{name}_t")


def weight(of, grad, words, inputs, upstream, after=None, square=False):
    """The line of a weight's gradient: `inputs` times the weight gave what `upstream` is the gradient of.

    after: the state after the step, where `inputs` is the state before it. square: transposed, it has the same shape.
    """
    W, X, D = grad[1:], maths(inputs), maths(upstream)
    total = f"{W} is used at every step and by every sequence, so its gradient is the sum of {X}ᵀ {D} over all of them"
    wrong = maker(of, "bptt/weights")
    shown = f"({upstream})" if " " in upstream else upstream
    entries = [
        wrong(
            f"{of}-{words}-from-the-first-step-alone",
            f"{grad} = {inputs}[0].T @ {shown}[0]",
            f"{grad} is the term of step 0 alone: each step overwrote the one before",
            "What happens to the contribution of step t when your loop reaches step t - 1?",
            f"{total}. Yours equals the term of step 0, the last one a loop that assigns instead of adding leaves.",
        ),
        wrong(
            f"{of}-{words}-from-the-last-step-alone",
            f"{grad} = {inputs}[-1].T @ {shown}[-1]",
            f"{grad} is the term of the last step alone",
            f"How many steps contribute to the gradient of {W}?",
            f"{total}. Yours equals the term of the last step.",
        ),
        wrong(
            f"{of}-{words}-averaged-over-the-batch",
            f"{grad} = {grad} / B",
            f"{grad} is divided by the batch size",
            "Who divides by the size of the batch, the loss or the cell?",
            f"{total}. If the loss is a mean, its gradient has been divided already; dividing here again makes every"
            " gradient too small by the factor B.",
        ),
        wrong(
            f"{of}-{words}-averaged-over-time",
            f"{grad} = {grad} / T",
            f"{grad} is divided by the number of steps",
            "Is the loss a function of the mean of the steps' weights, or of one weight used many times?",
            f"{total}. Divided by T it is a mean over time, which no derivative asks for.",
            "datascience.stackexchange.com question 30850",
        ),
        wrong(
            f"{of}-{words}-averaged-over-time-and-batch",
            f"{grad} = {grad} / (T * B)",
            f"{grad} is divided by the number of steps and the batch size",
            "Which line of the forward pass divides by anything?",
            f"{total}. A mean belongs in the loss, where it reaches all gradients at once.",
        ),
        wrong(
            f"{of}-{words}-with-the-wrong-sign",
            f"{grad} = -{grad}",
            f"{grad} has the wrong sign",
            "Should a gradient point uphill or downhill?",
            f"{total}. The minus of gradient descent belongs to the optimiser's step.",
        ),
        wrong(
            f"{of}-{words}-never-written",
            f"{grad} = 0 * {grad}",
            f"{grad} is zero everywhere",
            f"Which line of the backward pass writes to {grad}?",
            f"{total}. Yours is still what it was made as, zeros.",
            "explosion/thinc's backprop_lstm",
        ),
    ]
    if inputs == "x":
        entries += [
            wrong(
                f"{of}-{words}-with-the-input-of-the-step-before",
                f"{grad} = weight_gradient(np.roll(x, 1, axis=0), {upstream})",
                f"{grad} pairs the gradient of step t with the input of step t - 1",
                "Which input did the pre-activation of step t see?",
                f"{total}, both of the same t. Yours has x one step late, and at step 0 the last input.",
            ),
            wrong(
                f"{of}-{words}-with-the-input-of-the-step-after",
                f"{grad} = weight_gradient(shift(x, -1), {upstream})",
                f"{grad} pairs the gradient of step t with the input of step t + 1",
                "Which input did the pre-activation of step t see?",
                f"{total}, both of the same t. Yours has x one step early.",
            ),
            wrong(
                f"{of}-{words}-with-the-inputs-reversed",
                f"{grad} = weight_gradient(x[::-1], {upstream})",
                f"{grad} pairs the gradients with the inputs in reversed order",
                "In which order did your backward loop collect what it collected?",
                f"{total}, both of the same t. Gradients gathered while walking backwards stand in reversed order.",
            ),
        ]
    if after:
        state = inputs.removesuffix("_prev")
        entries += [
            wrong(
                f"{of}-{words}-with-the-state-after-the-step",
                f"{grad} = weight_gradient({after}, {upstream})",
                f"{grad} uses {state}_t where {W} multiplied {state}_{{t-1}}",
                f"Which state did {W} multiply at step t?",
                f"{total}. Yours has the state after the step, which {W} meets only at step t + 1.",
                "VikParuchuri/zero_to_gpt#9",
            ),
            wrong(
                f"{of}-{words}-without-the-initial-state",
                f"{grad} = weight_gradient({inputs}[1:], {shown}[1:])",
                f"{grad} misses step 0, as if the initial state were zero",
                f"What did {W} multiply at the very first step?",
                f"{total}. The term of step 0, with {state}_0, is missing in yours, unseen while {state}_0 = 0.",
                "IDSIA/brainstorm",
            ),
        ]
    if square:
        entries.append(
            wrong(
                f"{of}-{words}-transposed",
                f"{grad} = weight_gradient({upstream}, {inputs})",
                f"{grad} is transposed",
                f"Which axis of {W} does its input run along, the first or the second?",
                f"{total}: rows belong to the input, columns to the output. {W} is square, so no shape gives it away.",
            )
        )
    return entries


def bias(of, grad, words, upstream):
    """The line of a bias's gradient; `upstream` is the gradient of what the bias was added to."""
    b, D = grad[1:], maths(upstream)
    total = f"{b} is added at every step to every sequence, so its gradient is the sum of {D} over time and batch"
    shown = f"({upstream})" if " " in upstream else upstream
    wrong = maker(of, "bptt/bias")
    return [
        wrong(
            f"{of}-{words}-from-the-first-step-alone",
            f"{grad} = {shown}[0].sum(axis=0)",
            f"{grad} is the term of step 0 alone: each step overwrote the one before",
            f"What happens to the contribution of step t to {grad} when your loop reaches step t - 1?",
            f"{total}. Yours equals the term of step 0.",
        ),
        wrong(
            f"{of}-{words}-from-the-last-step-alone",
            f"{grad} = {shown}[-1].sum(axis=0)",
            f"{grad} is the term of the last step alone",
            f"At how many steps was {b} added?",
            f"{total}. Yours equals the term of the last step.",
        ),
        wrong(
            f"{of}-{words}-averaged-over-the-batch",
            f"{grad} = {grad} / B",
            f"{grad} is a mean over the batch, not a sum",
            "If one sequence were in the batch twice, should its pull on the bias double?",
            f"{total}. Yours is smaller by the factor B, while the other gradients are not.",
            "kvfrans/notes#5",
        ),
        wrong(
            f"{of}-{words}-averaged-over-time",
            f"{grad} = {grad} / T",
            f"{grad} is a mean over the steps, not a sum",
            "Does a bias that acts at twice as many steps have half the effect at each?",
            f"{total}. Yours is smaller by the factor T.",
        ),
        wrong(
            f"{of}-{words}-averaged-over-time-and-batch",
            f"{grad} = {grad} / (T * B)",
            f"{grad} is a mean over steps and batch, not a sum",
            "Which line of the forward pass divides by anything?",
            f"{total}. Yours is smaller by the factor T B.",
        ),
        wrong(
            f"{of}-{words}-summed-over-its-units-too",
            f"{grad} = np.full_like({grad}, {grad}.sum())",
            f"all entries of {grad} are equal: one sum over everything",
            f"Over which axes is {b} the same number again and again?",
            f"{total}, but each unit has a bias of its own. Yours sums over the units as well.",
            "rasbt/stat453-deep-learning-ss21#5",
        ),
        wrong(
            f"{of}-{words}-not-summed-over-the-batch",
            f"{grad} = {shown}.sum(axis=0)",
            f"{grad} still has the batch axis",
            f"What is the shape of {b}?",
            f"{total}. Yours is summed over time alone, so it has one row for each sequence.",
        ),
        wrong(
            f"{of}-{words}-not-summed-over-time",
            f"{grad} = {shown}.sum(axis=1)",
            f"{grad} still has the time axis",
            f"What is the shape of {b}?",
            f"{total}. Yours is summed over the batch alone, so it has one row for each step.",
        ),
        wrong(
            f"{of}-{words}-with-the-wrong-sign",
            f"{grad} = -{grad}",
            f"{grad} has the wrong sign",
            "Should a gradient point uphill or downhill?",
            f"{total}. The minus of gradient descent belongs to the optimiser's step.",
        ),
        wrong(
            f"{of}-{words}-never-written",
            f"{grad} = 0 * {grad}",
            f"{grad} is zero everywhere",
            f"Which line of the backward pass writes to {grad}?",
            f"{total}. Yours is still what it was made as, zeros.",
        ),
    ]


def inputs(of):
    """The line of the input's gradient."""
    wrong = maker(of, "bptt/inputs")
    own = "x_t is read by step t and by no other, so dx_t is made from the gradients of step t"
    return [
        wrong(
            f"{of}-input-gradient-of-the-last-step-alone",
            "dx = np.concatenate([0 * dx[:-1], dx[-1:]])",
            "dx is right at the last step and zero before",
            "Which inputs could change the loss?",
            f"{own}. All steps have one; yours is filled in for the last step only.",
        ),
        wrong(
            f"{of}-input-gradient-of-the-first-step-alone",
            "dx = np.concatenate([dx[:1], 0 * dx[1:]])",
            "dx is right at step 0 and zero after",
            "Where does your loop put the dx of each step?",
            f"{own}. All steps have one; in yours each overwrote the one before.",
        ),
        wrong(
            f"{of}-input-gradient-reversed-in-time",
            "dx = dx[::-1]",
            "dx is in reversed order of time",
            "In which order did your backward loop visit the steps?",
            f"{own}. A list that grows while walking backwards starts with the last step.",
        ),
        wrong(
            f"{of}-input-gradient-with-the-wrong-sign",
            "dx = -dx",
            "dx has the wrong sign",
            "If an input grows a little, does the loss move as your sign says?",
            f"{own}. Your numbers are right but for the sign.",
        ),
        wrong(
            f"{of}-input-gradient-averaged-over-the-batch",
            "dx = dx / B",
            "dx is divided by the batch size",
            "Does an input of one sequence know how many others are in the batch?",
            f"{own}, for each sequence by itself. A mean over the batch belongs in the loss, if anywhere.",
        ),
        wrong(
            f"{of}-input-gradient-averaged-over-time",
            "dx = dx / T",
            "dx is divided by the number of steps",
            "Which line of the forward pass divides the input by the number of steps?",
            f"{own}. Nothing in it depends on how long the sequence is.",
        ),
        wrong(
            f"{of}-input-gradient-never-written",
            "dx = 0 * dx",
            "dx is zero everywhere",
            "Which line of the backward pass writes to dx?",
            f"{own}. Yours is still what it was made as, zeros; a layer below would learn nothing.",
            "explosion/thinc's backprop_lstm",
        ),
    ]

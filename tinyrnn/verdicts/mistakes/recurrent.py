"""Mistakes of every recurrent network in what goes from step to step: the carry and the gradient of the initial state.

Written once for all cells, as functions that fill in the names.
"""

from tinyrnn.verdicts.mistakes.entry import maker


def carry(of, state="h"):
    """The line that adds what comes from above and what comes from the next step."""
    d, after, back = f"d{state}", f"dnext_{state}", f"d{state}_prev"
    wrong = maker(of, "bptt/carry")
    both = f"{state}_t has two readers, the output at t and the step t + 1, and the chain rule adds what they send back"
    return [
        wrong(
            f"{of}-nothing-carried-back",
            f"{d} = dout",
            f"{d} is the gradient from above alone; nothing arrives from step t + 1",
            f"Who else, besides the output at step t, looks at {state}_t?",
            f"{both}. Yours holds the first part only, so each step is treated as the last.",
            "omerbsezer/LSTM_RNN_Tutorials_with_Demo#2, qixianbiao/RNN#2",
        ),
        wrong(
            f"{of}-gradient-from-above-left-out",
            f"{d} = {after}",
            f"{d} is what step t + 1 hands back alone; the gradient from above is not added",
            f"Does the loss see {state}_t only through step t + 1?",
            f"{both}. Yours holds only the second part.",
        ),
        wrong(
            f"{of}-gradient-from-above-at-the-last-step-only",
            f"{d} = np.concatenate([{after}[:-1], {after}[-1:] + dout[-1:]])",
            "the gradient from above enters at the last step and nowhere else",
            "At which steps does the loss look at the output?",
            f"Every step has a gradient dout_t of its own; {both}. Yours starts the loop rightly and then forgets it.",
        ),
        wrong(
            f"{of}-carry-added-twice",
            f"{d} = dout + 2 * {after}",
            "what step t + 1 hands back is counted twice",
            f"How often does step t + 1 read {state}_t?",
            f"{both}, each of them once. Counted twice, the carry grows like 2^k on its way through k steps.",
        ),
        wrong(
            f"{of}-carry-subtracted",
            f"{d} = dout - {after}",
            "what step t + 1 hands back is subtracted",
            f"With which sign do the contributions of two readers of {state}_t combine?",
            f"{both}. Yours takes their difference.",
        ),
        wrong(
            f"{of}-gradient-from-above-of-the-step-before",
            f"{d} = np.roll(dout, 1, axis=0) + {after}",
            "dout[t - 1] is used at step t, and at step 0 the last entry",
            f"Which entry of dout belongs to {state}_t?",
            f"dout_t is the gradient of {state}_t, of the same t; yours is one step off, and in Python the index -1 at"
            " step 0 is the last step. All gradients from above equal, as in a test with ones, would hide it.",
        ),
        wrong(
            f"{of}-gradient-from-above-of-the-step-after",
            f"{d} = shift(dout, -1) + {after}",
            "dout[t + 1] is used at step t",
            f"Which entry of dout belongs to {state}_t?",
            f"dout_t is the gradient of {state}_t, of the same t; yours is taken one step later.",
        ),
        wrong(
            f"{of}-gradient-from-above-reversed-in-time",
            f"{d} = dout[::-1] + {after}",
            "the gradients from above are read in reversed order",
            "Which gradient from above does your loop meet first, that of the first step or that of the last?",
            "The loop runs from the last step to the first, and so must the gradients from above, each with its own"
            " step. Yours are paired with the opposite ends of the sequence.",
        ),
        wrong(
            f"{of}-backward-loop-runs-forwards",
            f"{d} = dout + np.concatenate([{after}[-1:], {back}[:-1]])",
            "the carry comes from step t - 1: the loop runs in the direction of time",
            "In which order must the steps be visited so that everything a step needs is there when its turn comes?",
            f"{state}_t was read by step t + 1, so its gradient needs what step t + 1 computed. Yours arrives from"
            " step t - 1, as in a loop that starts at t = 0.",
        ),
        wrong(
            f"{of}-gradient-of-the-final-state-ignored",
            f"{d} = dout + shift({back}, -1)",
            "the gradient of the final state is not used; the carry starts from zero",
            "Can the loss look at the final state other than through the last output?",
            "A final state that is handed on to a decoder, a next window or a loss of its own brings a gradient, and"
            " the carry into the last step begins with it. Yours begins with zero.",
            "deeplearning4j/deeplearning4j#8838",
        ),
        wrong(
            f"{of}-nothing-handed-back",
            f"{back} = 0 * {back}",
            f"{back} is zero",
            f"Does step t look at {state}_{{t-1}}?",
            f"Step t reads {state}_{{t-1}}, so it owes a gradient to step t - 1; with zeros there, nothing is ever"
            " learned about the past.",
        ),
        wrong(
            f"{of}-handed-back-with-the-wrong-sign",
            f"{back} = -{back}",
            f"{back} has the wrong sign",
            f"If {state}_{{t-1}} grows a little, does the loss move as your sign says?",
            "Your numbers are right but for the sign, and a minus in the carry flips at each step.",
        ),
        wrong(
            f"{of}-handed-back-twice",
            f"{back} = 2 * {back}",
            f"{back} is twice what it should be",
            f"On how many lines of the backward pass do you add to {back}?",
            "Your numbers are exactly twice the right ones: a contribution is added here and once more elsewhere,"
            " and through k steps it grows like 2^k.",
        ),
    ]


def initial_state(of, state="h"):
    """The line that hands out the gradient of the state before the first step."""
    d0, d, back, words = f"d{state}_0", f"d{state}", f"d{state}_prev", {"c": "cell"}.get(state, "state")
    wrong = maker(of, "bptt/initial-state")
    return [
        wrong(
            f"{of}-no-gradient-of-the-initial-{words}",
            f"{d0} = 0 * {d0}",
            f"{d0} is zero",
            f"Would the loss stay the same if the {words} before the first step were another?",
            f"{state}_0 is an input like any other: the first step reads it, so the carry out of that step is its"
            " gradient. It is needed as soon as the initial state is learned or comes from another network.",
        ),
        wrong(
            f"{of}-initial-{words}-gets-the-gradient-after-the-first-step",
            f"{d0} = {d}[0]",
            f"{d0} is the gradient of {state} after the first step",
            f"How many times does the loop go back through the cell between {state}_1 and {state}_0?",
            f"The first step lies between {state}_0 and {state}_1, so its backward pass has to be applied once more."
            " Yours stops before it.",
        ),
        wrong(
            f"{of}-initial-{words}-gets-the-carry-of-the-second-step",
            f"{d0} = {back}[1:2].sum(axis=0)",
            f"{d0} is what the second step hands back, not the first",
            f"What does the step that reads {state}_0 hand back?",
            f"The carry out of the first step belongs to {state}_0. Yours is that of the second step, one too early for"
            " the loop to end.",
        ),
    ]

"""Mistakes on the way back through a sigmoid or a tanh: the same in every cell but for the names."""

from tinyrnn.verdicts.mistakes.entry import maker


def sigmoid_gate(of, s, before):
    """The line `da_s`, made from `ds`, of the gate s = sigmoid(before)."""
    d, a = f"d{s}", f"da_{s}"
    wrong = maker(of, "lstm/sigmoid")
    rule = f"{s} = σ(a) has the derivative σ'(a) = σ(a) (1 - σ(a)), which its output alone decides"
    return [
        wrong(
            f"{of}-gate-{s}-sigmoid-not-differentiated",
            f"{a} = {d}",
            f"sigmoid' is missing at gate {s}: {a} is {d} itself",
            f"What stands between the gate {s} and its pre-activation?",
            f"{rule}. Yours passes the gradient as if {s} were its own pre-activation, at least four times too large.",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-without-the-open-part",
            f"{a} = {d} * (1 - {s})",
            f"1 - {s} where {s} (1 - {s}) belongs",
            f"How much should a gate that is shut, {s} = 0, react to a small change?",
            f"{rule}. Yours has lost a factor: at a shut gate it is 1, where the sigmoid is flat.",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-without-the-shut-part",
            f"{a} = {d} * {s}",
            f"{s} where {s} (1 - {s}) belongs",
            f"How much should a gate that is wide open, {s} = 1, react to a small change?",
            f"{rule}. Yours has lost a factor: at an open gate it is 1, where the sigmoid is flat.",
        ),
        wrong(
            f"{of}-gate-{s}-with-the-derivative-of-tanh",
            f"{a} = {d} * (1 - {s} * {s})",
            f"1 - {s}², the derivative of tanh, at the sigmoid gate {s}",
            f"Which nonlinearity made {s}?",
            f"{rule}. Yours is that of tanh, 1 - tanh².",
        ),
        wrong(
            f"{of}-gate-{s}-sigmoid-for-its-derivative",
            f"{a} = {d} * sigmoid({s})",
            f"sigmoid({s}) where its derivative belongs",
            "Do you want the sigmoid at this place, or its slope?",
            f"{rule}. Yours applies the sigmoid to the gate once more.",
            "CaptainE/RNN-LSTM-in-numpy#1",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-taken-at-the-gate",
            f"{a} = {d} * sigmoid({s}) * (1 - sigmoid({s}))",
            f"sigmoid' is taken at {s}, not at its pre-activation",
            "Does your function for sigmoid' want the sigmoid's input or its output?",
            f"{rule}. Yours applies the sigmoid to the gate, which is a sigmoid already, before it takes the slope.",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-from-the-pre-activation",
            f"{a} = {d} * ({before}) * (1 - ({before}))",
            f"a (1 - a) with the pre-activation a where the gate {s} belongs",
            "In σ' = σ (1 - σ), is σ the sigmoid's input or its output?",
            f"{rule}. Yours puts the pre-activation into the formula, so it is negative where that is.",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-with-the-wrong-sign",
            f"{a} = {d} * {s} * ({s} - 1)",
            f"sigmoid' at gate {s} has the wrong sign",
            "Does the sigmoid rise or fall?",
            f"{rule} and is never negative. Yours is never positive.",
        ),
        wrong(
            f"{of}-gate-{s}-derivative-with-a-plus",
            f"{a} = {d} * {s} * (1 + {s})",
            f"{s} (1 + {s}) where {s} (1 - {s}) belongs",
            "How steep is the sigmoid where it is nearly 1?",
            f"{rule}. Yours has a plus, so it is steepest where the sigmoid is flat.",
        ),
    ]


def tanh_unit(of, line, upstream, y, before, words, section="elman/tanh"):
    """The line `line`, made from `upstream`, of y = tanh(before)."""
    wrong = maker(of, section)
    rule = f"{y} = tanh(a) has the derivative tanh'(a) = 1 - tanh²(a), which its output alone decides"
    return [
        wrong(
            f"{of}-{words}-tanh-not-differentiated",
            f"{line} = {upstream}",
            f"tanh' is missing: {line} is {upstream} itself",
            f"What stands between {y} and its pre-activation?",
            f"{rule}. Yours is too large everywhere, for tanh' is below 1.",
            "blog.primen.dk",
        ),
        wrong(
            f"{of}-{words}-square-forgotten",
            f"{line} = {upstream} * (1 - {y})",
            f"1 - {y} where 1 - {y}² belongs",
            "Should the slope of tanh be the same at y and at -y?",
            f"{rule}. Yours has lost the square, so it is above 1 where {y} is negative.",
        ),
        wrong(
            f"{of}-{words}-square-of-the-difference",
            f"{line} = {upstream} * (1 - {y}) ** 2",
            f"(1 - {y})² where 1 - {y}² belongs",
            "Does the square belong to the output or to the whole difference?",
            f"{rule}. Yours squares the difference, so it is up to 4 where {y} is negative.",
        ),
        wrong(
            f"{of}-{words}-with-the-derivative-of-the-sigmoid",
            f"{line} = {upstream} * {y} * (1 - {y})",
            f"{y} (1 - {y}), the derivative of the sigmoid, at a tanh",
            f"Which nonlinearity made {y}?",
            f"{rule}. Yours is that of the sigmoid, and negative where {y} is.",
        ),
        wrong(
            f"{of}-{words}-derivative-taken-at-the-output",
            f"{line} = {upstream} * (1 - tanh({y}) ** 2)",
            f"tanh' is taken at {y}, not at its pre-activation",
            "Does your function for tanh' want tanh's input or its output?",
            f"{rule}. Yours applies tanh to {y}, which is a tanh already, before it takes the slope.",
        ),
        wrong(
            f"{of}-{words}-derivative-from-the-pre-activation",
            f"{line} = {upstream} * (1 - ({before}) ** 2)",
            f"1 - a² with the pre-activation a where the output {y} belongs",
            "In tanh' = 1 - tanh², whose square is it, the input's or the output's?",
            f"{rule}. Yours squares the pre-activation, which is nearly right for small ones and negative beyond 1.",
        ),
        wrong(
            f"{of}-{words}-tanh-for-its-derivative",
            f"{line} = {upstream} * {y}",
            f"{y} itself where 1 - {y}² belongs",
            "Do you want tanh at this place, or its slope?",
            f"{rule}. Yours multiplies by tanh.",
        ),
        wrong(
            f"{of}-{words}-derivative-with-the-wrong-sign",
            f"{line} = {upstream} * ({y} * {y} - 1)",
            f"{y}² - 1 where 1 - {y}² belongs",
            "Does tanh rise or fall?",
            f"{rule} and is never negative. Yours is never positive.",
        ),
        wrong(
            f"{of}-{words}-derivative-with-a-plus",
            f"{line} = {upstream} * (1 + {y} * {y})",
            f"1 + {y}² where 1 - {y}² belongs",
            "How steep is tanh where it is nearly 1?",
            f"{rule}. Yours has a plus, so it is steepest where tanh is flat.",
        ),
        wrong(
            f"{of}-{words}-divided-by-the-derivative",
            f"{line} = {upstream} / (1 - {y} * {y})",
            f"divided by 1 - {y}² instead of multiplied",
            "Is 1 - tanh² the slope of tanh or of its inverse?",
            f"{rule}, and the chain rule multiplies. 1 / (1 - y²) is the derivative of the inverse function.",
            "oreilly-japan/deep-learning-from-scratch-2#26",
        ),
    ]

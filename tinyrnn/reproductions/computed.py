"""What two documents say of what is computed, or trained by an analysis, and a third of norms over time."""

import re
import statistics

from tinyrnn.reproductions.claims import OPEN, Computed


def normal(numbers):
    """J_tot of scaled normal matrices."""
    found = [numbers["J_tot"][name] for name in ("0.99 Q, Q orthogonal", "0.99 identity")]
    return all(abs(j - 1) < 1e-9 for j in found), ", ".join(f"{j:.6f}" for j in found)


def chains(numbers):
    """J_tot of both chains."""
    found = [numbers["J_tot"][name] for name in ("chain, α = 1.02", "feedback chain, 0.99 and 0.04")]
    return min(found) > 1, f"J_tot = {found[0]:.2f} and {found[1]:.2f}; at most N = {numbers['N']}"


def extensive(numbers):
    """Growth of J_tot with N."""
    growth = numbers["growth"]
    rates = {name: growth[name]["for each unit more"] for name in ("α = 1", "α = 1.05")}
    by_e = growth["α = 1"]["for each factor e"]
    why = f"with α = 1.05 it grows by {rates['α = 1.05']:.3f} a unit; with α = 1 by {by_e:.3f} for each factor e in N"
    return (None if by_e < 2 else True) if rates["α = 1.05"] > 0.05 else False, why


def transient(numbers):
    """Largest norms of powers."""
    found = numbers["matrices"]
    chain, rotation = found["feedback chain 0.99, 0.04"], found["orthogonal"]
    why = f"at most {chain['largest norm']:.1f} at k = {chain['at k']}, spectral radius {chain['spectral radius']:.2f}"
    return chain["largest norm"] > 2 * rotation["largest norm"], f"{why}; orthogonal {rotation['largest norm']:.1f}"


def amplified(numbers):
    """Norms of W^k v on their way through a chain and after it."""
    found = numbers["networks"]
    chain = next(of for name, of in found.items() if name.startswith("chain, "))
    rotation = next(of for name, of in found.items() if name.startswith("orthogonal"))
    why = f"at most {chain['largest']:.2f} at k = {chain['at k']} and {chain['at k = 150']:.2g} at 150; orthogonal "
    why += f"{rotation['largest']:.2f} and {rotation['at k = 150']:.2g}"
    return chain["largest"] > 2 > 1e-6 > chain["at k = 150"] and abs(rotation["at k = 150"] - 1) < 1e-6, why


def decodes(setting, ahead):
    """Whether the chain is ahead of the orthogonal network, or, without `ahead`, both are perfect."""

    def says(numbers):
        found = numbers["R^2 of s_1 from h_100"][setting]
        chain, orthogonal = found["chain"], found["orthogonal"]
        holds = chain > orthogonal + 0.05 if ahead else min(chain, orthogonal) > 0.999
        return holds, f"R² {chain:.3f}, orthogonal {orthogonal:.3f}"

    return says


def successful(found):
    """The d(W), after training, of the networks that end below half the baseline."""
    pairs = zip(list(found["d(W)"].values())[-1], found["last losses"], strict=True)
    return [d for d, loss in pairs if loss is not None and loss < found["baseline"] / 2]


def non_normal(numbers):
    """Henrici's index after training, from either start on each task."""
    words, means = [], []
    for name, found in numbers.items():
        if name.startswith("from"):
            kept = successful(found)
            means.append(statistics.fmean(kept) if kept else None)
            words.append(f"{len(kept)} of {len(found['last losses'])} {name}" + (f": {means[-1]:.2f}" if kept else ""))
    why = f"{'; '.join(words)}; published 2.33 and 2.74 on adding over 750 steps, 1.01 and 2.72 on permuted MNIST"
    clear = [mean > 0.5 for mean in means if mean is not None]
    return (True if len(clear) == len(means) else None) if all(clear) else None if any(clear) else False, why


def forward(numbers):
    """What weights from earlier to later units have more, after training and before."""
    groups = {name: lines for name, lines in numbers["forward excess"].items() if name.startswith("from")}
    words, holds = [], []
    for name, lines in groups.items():
        if lines:
            before, after = (statistics.fmean(values) for values in list(lines.values())[:2])
            holds.append(after > before)
            words.append(f"{name} {after:.4f}, before {before:.4f}")
    every = all(holds) and len(holds) == len(groups)
    return True if every else None if any(holds) or not holds else False, "; ".join(words)


def gates(numbers):
    """The same of an LSTM's gates, trained from orthogonal matrices, in its last layer: more than twice its error?"""
    name = [name for name in numbers["forward excess"] if name.startswith("orthogonal, after")][-1]
    found = numbers["forward excess"][name]
    error = {gate: statistics.stdev(values) / len(values) ** 0.5 for gate, values in found.items()}
    mean = {gate: statistics.fmean(values) for gate, values in found.items()}
    clear = [gate for gate in found if mean[gate] > 2 * error[gate]]
    why = ", ".join(f"{gate[4]} {mean[gate]:.4f} ± {error[gate]:.4f}" for gate in found)
    return (True if len(clear) == len(found) else None if all(m > 0 for m in mean.values()) else False), why


MEMORY = {
    "connectivity": (
        Computed("what enters a chain is amplified on its way and then gone, unlike in rotations", amplified),
    ),
    "fisher": (
        Computed("normal networks have J_tot = 1", normal),
        Computed("chains have more, and at most N", chains),
    ),
    "total-memory": (Computed("the memory of a chain is of the order of N", extensive),),
    "spectrum": (Computed("non-normal matrices amplify for a while, whatever their eigenvalues", transient),),
}
DECODING = {
    "decoding": (
        Computed("without noise both linear networks keep all", decodes("linear, no noise", False)),
        Computed("with noise the chain keeps more", decodes("linear, noise 0.1", True)),
        Computed("without noise but with a nonlinearity the chain keeps more", decodes("elu, no noise", True)),
    )
}
ORDERING = {
    "ordering": (
        Computed("networks that learn become non-normal", non_normal),
        Computed("and feedforward: weights from earlier to later units grow", forward),
    )
}
GATES = {"gate-ordering": (Computed("in trained LSTMs too weights lead from earlier to later units", gates),)}


def exact(numbers):
    """Errors of the closed form with all units."""
    seen, unseen = numbers["reconstruction error, all units"], numbers["unseen sequences, all units"]
    rank = numbers["mixed lengths"]
    why = f"relative errors {seen:.0e} and {unseen:.0e}; of rank {rank['rank']} < {rank['numbers']} unseen ones lose "
    return max(seen, unseen) < 1e-9, f"{why}{rank['unseen error']:.0%}"


def constant(numbers):
    """p = 1 with an orthogonal memory."""
    ratios = numbers["LMN-ortho: norm at step 0 / at the end, draw by draw"]
    one, none = statistics.fmean(ratios["p=1"]), statistics.median(ratios["p=0"])
    return abs(one - 1) < 1e-9, f"{one:.6f} over 784 steps; with p = 0 the median is {none:.0f}"


def between(numbers):
    """Growth of the gradient by how much is detached."""
    ratios = numbers["LMN-ortho: norm at step 0 / at the end, draw by draw"]
    found = {p: statistics.median(draws) for p, draws in ratios.items()}
    why = "medians " + ", ".join(f"{p} {median:.4g}" for p, median in found.items())
    return sorted(found.values(), reverse=True) == [*found.values()] and found["p=0"] > 10, why


def kept_start(numbers):
    """How far a network's states are from the autoencoder's that it was started as, at small and at large inputs."""
    found = numbers["state error as a start, at scale 0.1, at 1"]
    lmn, rnn = found["LMN"], found["Elman"]
    why = f"at scales 0.1 and 1 an LMN's state is off by {lmn[0]:.0e} and {lmn[1]:.0e}, a tanh RNN's by"
    why += f" {rnn[0]:.2f} and {rnn[1]:.2f}"
    return max(lmn) < 0.01 and all(a < b for a, b in zip(lmn, rnn, strict=True)), why


def bounded(numbers):
    """The largest memory capacity of echo-state networks."""
    most = max(numbers["capacity"].values())
    return most <= numbers["N"], f"at most {most:.1f} with N = {numbers['N']}"


def markovian(numbers):
    """What the last symbols explain of untrained networks' states."""
    found = numbers["share of the variance that the last k symbols explain"]
    why = f"the last {len(found['esn'])} symbols explain " + ", ".join(
        f"{shares[-1]:.0%} with {cell}" for cell, shares in found.items()
    )
    contractive = [found[cell][-1] > 0.5 for cell in ("esn", "elman")]
    return all(contractive) if found["urnn"][-1] > 0.5 else None if all(contractive) else False, why


def vanishes(numbers):
    """The LSTM's gradient, and the LMN's."""
    steps, lmn = numbers["steps until a tenth is left"]["lstm"], numbers["norm at step 0 / at the end"]["lmn-laes"]
    return (
        steps is not None and steps < 50 and lmn > 0.01,
        f"a tenth is left after {steps} steps; LMN {lmn:.2f} of it at all",
    )


def least(key, own):
    """Whether one network has the least of a figure."""

    def says(numbers):
        found = numbers[key]
        best = ("principal components", "LAES, fitted decoder")  # no network's own; the bound, and another decoder
        others = min(value for name, value in found.items() if name not in (own, *best))
        trained = f"after {numbers['updates']} updates" if numbers.get("updates") else "all untrained"
        return found[own] < others, f"{found[own]:.0%} is wrong, {others:.0%} with the next best; {trained}"

    return says


def linear(numbers):
    """The accuracies of least squares on the last state, in both orders."""
    found = [of["accuracy (%)"] for of in numbers.values() if isinstance(of, dict) and "accuracy (%)" in of]
    why = f"{found[0]:.1f} and {found[1]:.1f} %, where the document has 86.6 and 84.2"
    return abs(found[0] - 86.6) < 1 and abs(found[1] - 84.2) < 1, why


def classified(kind, published):
    """Whether another classifier on the same states has the accuracies of the table, within 1 % in either order.

    Of small networks each number of layers that was run must have it, as the text does not say how many were chosen.
    """

    def says(numbers):
        orders = [of for of in numbers.values() if isinstance(of, dict) and "accuracy (%)" in of]
        found = [[v for key, v in of.items() if key.startswith(kind) and "accuracy (%)" in key] for of in orders]
        if not all(found):
            return OPEN, "not run at this scale"
        near = [all(abs(v - value) < 1 for v in of) for of, value in zip(found, published, strict=True)]
        why = " and ".join(", ".join(f"{v:.1f}" for v in of) for of in found)
        return (True if all(near) else None if any(near) else False), f"{why} %, in order and permuted"

    return says


def flat(numbers):
    """Gradients at the first step before training, as shares of those at the last."""
    found = {cell: numbers["norms"][f"before training, {cell}, h"] for cell in ("urnn", "elman", "lstm")}
    shares = {cell: norms["first"] / norms["last"] for cell, norms in found.items()}
    why = "; ".join(f"{cell} {share:.1g}" for cell, share in shares.items())
    return 0.1 < shares["urnn"] < 10 and max(shares["elman"], shares["lstm"]) < 1e-6, f"{why} of the last step's"


def trained(numbers):
    """Those of the uRNN and the tanh network after 100 updates."""
    norms = numbers["norms"]
    shares = [norms[f"after 100 updates, {c}, h"]["first"] / norms[f"after 100 updates, {c}, h"]["last"] for c in CELLS]
    why = f"after 100 updates uRNN {shares[0]:.1g}, tanh {shares[1]:.1g}, LSTM {shares[2]:.1g} of the last step's"
    return (None if shares[2] < shares[0] < shares[1] else shares[0] > max(shares[1:])), why


def rising(numbers):
    """Whether the norm of the uRNN's state rises by more than a tenth beyond the length of its training; in part if it
    has not learnt the task there."""
    name = [name for name in numbers["norms"] if name.startswith("after") and "urnn" in name][-1]
    found, share = numbers["norms"][name], numbers["losses"][name.rpartition(",")[0]]["of the baseline"]
    why = (
        f"{found['as long as in training']:.1f} at t = {numbers['trained T']}, {found['last']:.1f} at {numbers['T']}, "
    )
    why += f"{name.split(',')[0]}, when its loss was {share:.0%} of the baseline; published 16 to 24, over 1000 steps"
    return (True if share < 0.5 else None) if found["last"] > 1.1 * found["as long as in training"] else False, why


def resting(numbers):
    """How far the outputs half-way are from the last ones, as shares of their lengths; the LSTM's in the document is 6
    of 38 a little before, which is less than a fifth."""
    after = {name.split(", ")[1]: of for name, of in numbers["norms"].items() if re.match("after .*, h$", name)}
    shares = {label.split("-")[0]: of["distance half-way"] / of["last"] for label, of in after.items()}
    why = f"half-way it is {shares['lstm']:.0%} of its length from its end, the uRNN's {shares['urnn']:.0%}"
    return shares["lstm"] < 0.2 and shares["urnn"] > 0.3, why


def addend(numbers):
    """Which addends a network answers by while it learns."""
    kept = [stop["kept"] for stop in numbers["stops"].values()]
    return ("both" in kept and kept[-2] in ("the first", "the second")), f"{numbers['network']}: {', then '.join(kept)}"


CELLS = ("urnn", "elman", "lstm")
NORMS = {
    "gradient-norms": (
        Computed("before training the uRNN's gradient is the same at all steps, the others' vanish", flat),
        Computed("and it vanishes least while training", trained),
    ),
    "state-norms": (
        Computed("the LSTM's state comes to rest, that of the uRNN does not", resting),
        Computed("the state of a trained uRNN goes on growing beyond the length it was trained at", rising),
    ),
    "addends": (Computed("one addend is learned before the other", addend),),
}
AUTOENCODER = {
    "laes": (
        Computed("with as many units as the rank the autoencoder loses nothing", exact),
        Computed("an LMN starts as its autoencoder, a tanh RNN only as something like it", kept_start),
    )
}
GRADIENTS = {
    "detach": (
        Computed("with p = 1 an LMN with orthogonal memory passes the gradient unchanged", constant),
        Computed("with p in between it grows, the less the larger p is", between),
        Computed("the LSTM's vanishes within 50 steps, that of the LMN from an autoencoder slowly", vanishes),
    ),
    "capacity": (Computed("an echo-state network remembers no more inputs than it has units", bounded),),
    "markovian": (Computed("untrained networks tell sequences apart by their last symbols", markovian),),
    "lags": (
        Computed(
            "the LMN from an autoencoder knows most of its past inputs",
            least("relative error over all lags", "lmn-laes"),
        ),
    ),
}
ON_DIGITS = {
    "laes-mnist": (
        Computed("least squares on its last state: 86.6 and 84.2 %", linear),
        Computed("support vectors on it: 94.7 and 86.8 %", classified("LAES-SVM", (94.7, 86.8))),
        Computed("a small network on it: 97.9 and 92.3 %", classified("LAES-FF", (97.9, 92.3))),
    )
}
DIGITS = {
    "digits": (
        Computed(
            "of four networks the autoencoder draws digits best from its last state",
            least("relative to the mean image", "LAES, its own decoder"),
        ),
    )
}

"""Claims of the five documents that no entry judges, each with the reason and what it would take."""

from typing import NamedTuple

from tinyrnn.reproductions.entry import ARJOVSKY, CARTA, GROSSE, HENAFF, ORHAN


class Unjudged(NamedTuple):
    """A claim without a verdict. place: where in the document. why: the reason, and what it would take."""

    place: str
    text: str
    why: str


UNJUDGED = {
    HENAFF: (
        Unjudged(
            "§1",
            "Hessian-free optimisation learns to add over 200 steps (Martens & Sutskever 2011)",
            "`henaff-hf` is on 30 steps, where it is ahead of Adam; its damping is Levenberg and Marquardt's "
            "alone, without the structural damping of that paper. It would take that, and some hours",
        ),
        Unjudged(
            "§1",
            "an identity RNN adds over 300 steps, and a stabiliser of norms beats chance in 8 of 9 settings over 400",
            "results of others, of which the text names no settings; it would take a sweep over rates and "
            "penalties of networks that are all there (`irnn`, `norm-stabiliser`)",
        ),
        Unjudged(
            "§2.1",
            "a simple network does what an LT-RNN does if its weights are scaled, and not the other way round",
            "the first half is algebra, tested to rounding: `tr.constructions.elman_of`, wrong by the square of "
            "the scale. The second is said of all LT-RNNs, which no run can show",
        ),
    ),
    ORHAN: (
        Unjudged(
            "Figure 4 and Table 1",
            "the order of the starts is the same on words of Penn Treebank and on enwik8",
            "40 and some 1000 hours of one core for a run of the source's size, and enwik8 does not come with the "
            "package; it would take a GPU for weeks, or smaller networks as on characters",
        ),
        Unjudged(
            "Table 1",
            "an LSTM is ahead of all vanilla networks",
            "its runs are in another entry, `orhan-t4`, and no test is made across entries; the losses there are "
            "lower by 0.2 nats at half. It would take the LSTM among the contenders of `orhan-f4`",
        ),
        Unjudged(
            "Figure 6",
            "in the second layer of a language model the gates' profiles rise, and that of the tanh gate has a bump",
            "`orhan-f6` at half judges whether weights between neighbours in the order lean forwards there; the "
            "shapes are in its picture, and no test of them was fixed beforehand",
        ),
    ),
    CARTA: (
        Unjudged(
            "§3",
            "an LMN contains every RNN",
            "algebra: with W_hm the identity and W_mm nothing its memory is the RNN's state",
        ),
        Unjudged(
            "Table 1",
            "FC uRNN 96.9 and 94.1 %, EURNN 93.7 % permuted, KRU 96.4 and 94.5 %",
            "numbers of others, of 512 and 1024 units: some 150 hours of one core a run for the first, 140 for "
            "the last, and the second is not timed. With 128 units after a tenth of an epoch: `carta-t1-unitary`",
        ),
        Unjudged(
            "Table 1",
            "on average over both orders the LMN from an autoencoder is the best of all",
            "it would take all rows at their hundred epochs; the rows that are run have half an epoch "
            "(`carta-t1-grid`) or two (`carta-t1`)",
        ),
        Unjudged(
            "Figure 3",
            "that is so of networks trained as autoencoders for a hundred epochs",
            "`carta-f3` at half is after 2000 updates of 78 125, when the others are hardly better than the mean "
            "image, so that the autoencoder's lead says little of trained ones. It would take 12 hours of one core",
        ),
    ),
    GROSSE: (
        Unjudged(
            "§2",
            "in an encoder-decoder the path of a gradient is as long as both sentences",
            "a matter of counting: `tinyrnn analyse diagrams` draws it",
        ),
    ),
    ARJOVSKY: (
        Unjudged(
            "§2",
            "a unitary matrix is V D V*, a real orthogonal one has its eigenvalues in conjugate pairs",
            "mathematics; the cells made of it, `urnn-naive` and `orthogonal-naive`, are tested to be unitary to "
            "rounding",
        ),
        Unjudged(
            "§4",
            "the uRNN has less than half as many parameters as the LSTM",
            "a matter of counting, and false for the sizes that the draft gives, 6153 against 5865 to 6889: see "
            "the errata of `tinyrnn analyse cost`",
        ),
        Unjudged(
            "§4.2",
            "of batches of 20 and 50 the better one is reported",
            "how it was chosen, and no claim: `arjovsky-f2-batches` makes the choice over one length; over all of them "
            "it is in `arjovsky-f2 --scale paper`, some 17 hours of one core for each batch",
        ),
        Unjudged(
            "§4.3",
            "the uRNN has converged on digits within 20 000 updates",
            "it would take runs that go on longer, 240 000 updates and 17 hours for both orders",
        ),
        Unjudged(
            "§4.4",
            "how a network's loss runs between its start and its end",
            "a heading without a text; `arjovsky-norms` draws the loss along the straight line, of which nothing "
            "is claimed",
        ),
    ),
}

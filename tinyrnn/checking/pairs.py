"""The point at which an encoder-decoder's gradients are checked: as `tinyrnn.checking.probe`, but for pairs."""

from dataclasses import dataclass

from tinyrnn.checking.probe import Probe, number, ragged_mask
from tinyrnn.core.tape import Gradients


@dataclass
class PairProbe(Probe):
    """x and mask are the source's; state is the encoder's initial one, dstate upstream on the decoder's final one."""

    target_mask: object = None

    def forward(self, network):
        """(y, tape) of the encoder-decoder."""
        return network.forward(self.x, self.target, self.state, self.mask, self.target_mask)

    def gradients(self, network):
        """`Gradients` of the source inputs, the encoder's initial state and the parameters."""
        g = network.gradients(self.x, self.target, self.mask, self.target_mask, self.state, dstate=self.dstate)
        return Gradients(g.layers.inputs, g.layers.state, g.params)

    def output_loss(self, network, y):
        """The network's loss of outputs y against the target under its mask, a Python number."""
        return number(network.loss(y, self.target, self.target_mask)[0])


def make_pair_probe(network, xp, x, state, B, rng):
    """A `PairProbe` with a target that is one step longer than the source x (T, B, …), and ragged elsewhere."""
    T = len(x)
    shape = (T + 1, B)
    # the sequences in another order than the source's: their lengths must not be taken for each other's
    target_mask = ragged_mask(xp, T + 1, B)
    return PairProbe(
        x=x,
        mask=ragged_mask(xp, T, B),
        state=state,
        dstate=tuple(xp.asarray(rng.normal(size=(B, n))) for n in network.state_sizes),
        target=xp.asarray(rng.integers(0, network.target_size, shape)),
        target_mask=target_mask[:, ::-1] if B > 1 else target_mask,
    )

"""What `update.py` stands beside: the same network and update, as one writes it in PyTorch."""

import torch

LAYERS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "elman": torch.nn.RNN}


class Peer(torch.nn.Module):
    """The same network and update, as one writes it in PyTorch."""

    def __init__(self, trainer):
        super().__init__()
        s, self.task = trainer.settings, trainer.task
        self.settings, self.step, self.state = s, 0, None
        n, k = self.task.input_size, self.task.output_size
        self.embedding = torch.nn.Embedding(n, s.embedding) if s.embedding else None
        self.layer = LAYERS[s.cell](s.embedding or n, s.hidden, s.layers)
        self.readout = torch.nn.Linear(s.hidden, k)
        if s.tied:
            self.readout.weight = self.embedding.weight
        self.optimiser = torch.optim.Adam(self.parameters(), s.lr)

    def loss(self, x, target):
        if self.embedding is not None:
            x = self.embedding(x)
        elif not x.is_floating_point():
            x = torch.nn.functional.one_hot(x, self.task.input_size).float()
        h, state = self.layer(x, self.state)
        if self.task.carries:
            self.state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
        y = self.readout(h if self.task.readout == "every" else h[-1])
        if self.task.loss == "squared_error":
            return torch.nn.functional.mse_loss(y, target)
        return torch.nn.functional.cross_entropy(y.flatten(0, -2), target.flatten())

    def update(self):
        s = self.settings
        x, target = map(torch.from_numpy, self.task.batch(s.seed, self.step, s.batch)[:2])
        self.optimiser.zero_grad()
        loss = self.loss(x, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters(), s.clip_norm)
        self.optimiser.step()
        self.step += 1
        return loss.item()

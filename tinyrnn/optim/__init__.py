"""How gradients change parameters: optimisers, learning rates over time, clipping, updates on manifolds."""

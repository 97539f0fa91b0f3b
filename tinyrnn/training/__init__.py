"""Training runs: what defines one, the loop, the folder it leaves, and the demo and experiments made of runs."""

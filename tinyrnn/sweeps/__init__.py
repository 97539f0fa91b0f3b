"""Many runs: cells, initialisations, rates and seeds combined, run anywhere, chosen between by validation, compared."""

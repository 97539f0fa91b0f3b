"""How well the line verdicts find mistakes: small mistakes planted in the package's own sources, and judged."""

"""Which lines of a wrong backward pass are to be accused: the fewest with whose values put right every result is right.

A backward pass is linear in what comes from above, so whether a statement can be what is wrong is a question of linear
algebra, and no name is needed (`solving`). Where several can be, the one whose repair leaves the fewest values
unexplained is it (`known`, `search`).
"""

"""The documents' own searches: a random twentieth of each, with the lengths of a scale."""

from collections.abc import Callable
from dataclasses import replace

from tinyrnn.reproductions import carta, orhan
from tinyrnn.reproductions.claims import Better, Oftener
from tinyrnn.reproductions.entry import CARTA, ORHAN, Reproduction, at
from tinyrnn.sweeps.plan import Sweep

PART = 0.05  # of the combinations of each contender, rounded up, drawn by lot


def twentieth(runs: Callable[[str], dict[str, Sweep]], updates: int) -> Callable[[str], dict[str, Sweep]]:
    """scale -> a twentieth of the grid that `runs` has at the source's size, with one seed but there, and with the
    lengths that it has at the scale, but for so many `updates` at half."""

    def sweeps(scale: str) -> dict[str, Sweep]:
        whole, found = runs("paper"), runs(scale)
        fewer = at(scale, {}, {"updates": updates, "test_every": updates // 10}, {})
        return {
            panel: replace(
                whole[panel], shared={**plan.shared, **fewer}, part=PART, seeds=at(scale, 1, 1, whole[panel].seeds)
            )
            for panel, plan in found.items()
        }

    return sweeps


OURS = "a twentieth of the combinations, drawn by lot; one seed, and {} updates at half, of the source's {}"

SECOND = ("feedback chain", "orthogonal")

GRIDS = {
    "orhan-f3-grid": Reproduction(
        ORHAN, "§2.3.1, Figure 3d to f", "the search through gains and rates: how many runs succeed from each start",
        twentieth(orhan.toy_tasks, 7500),
        claims={"": (Oftener("chains succeed more often than orthogonal starts", "chain", "orthogonal"),)},
        published=orhan.COUNTS,
        ours=OURS.format("7500", "375 000"),
    ),
    "orhan-f4-grid": Reproduction(
        ORHAN, "§2.3.2", "the search through gains of the language models", twentieth(orhan.language_models, 3000),
        claims={"": (Better("feedback chains are ahead of orthogonal starts", *SECOND, every=True),)},
        published=orhan.TABLE_1,
        ours=OURS.format("3000", "100 000") + "; feedback beside 0.99, not the best gain of a chain",
    ),
    "carta-t1-grid": Reproduction(
        CARTA, "§5 and appendix B", "the search through rates and penalties", twentieth(carta.pixels, 390),
        claims={
            "": tuple(
                Better(
                    f"an autoencoder's start is ahead of an orthogonal one: {cell}, over all that was tried",
                    f"{cell}-laes", f"{cell}-ortho", **carta.RATES, every=True,
                )
                for cell in ("RNN", "LMN")
            ),
            **{order: carta.others(order) for order in carta.PUBLISHED},
        },
        published=carta.PUBLISHED,
        ours=OURS.format("390", "78 125"),
    ),
}  # fmt: skip

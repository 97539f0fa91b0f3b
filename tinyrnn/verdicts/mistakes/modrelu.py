"""Mistakes in modReLU, the unitary network's nonlinearity."""

from tinyrnn.verdicts.mistakes.entry import slips

radial = "(split(u * dh, 2)[0] + split(u * dh, 2)[1])"
SPLIT = "modReLU changes the length |z| and keeps the direction u, so along u the slope is 1 and across it |h| / |z|"
ALONG = "∂|h|/∂b is 1 where |z| + b > 0, else 0, so db is the part of dh along u, there and only there"
MODRELU = [
    *slips(
        "modrelu",
        "unitary/modrelu",
        SPLIT,
        [
            (
                "modrelu-gain-in-all-directions",
                "dz = (pairs(dh) * gain[..., None, :]).reshape(dh.shape)",
                "the gain |h| / |z| in both directions",
                "By how much does |h| grow when |z| grows by one?",
            ),
            (
                "modrelu-without-the-part-across",
                "dz = (pairs(u) * db[..., None, :]).reshape(dh.shape)",
                "the part along u only",
                "What happens to h when z is turned a little and keeps its length?",
            ),
            (
                "modrelu-without-the-gain",
                "dz = (pairs(dh) * (gain > 0)[..., None, :]).reshape(dh.shape)",
                "the slope 1 in both directions",
                "How far does h move when z is turned a little and keeps its length?",
            ),
            (
                "modrelu-as-a-relu-of-each-part",
                "dz = dh * (h > 0)",
                "a ReLU of the real part and another of the imaginary part",
                "On what does modReLU decide whether a unit is on?",
            ),
            ("modrelu-left-out", "dz = dh", "dh as it is", "What stands between z and h?"),
            (
                "modrelu-with-the-part-across-alone",
                "dz = (pairs(dh) * gain[..., None, :] - pairs(u) * (gain * db)[..., None, :]).reshape(dh.shape)",
                "the part across u only",
                "By how much does |h| grow when |z| grows by one?",
            ),
            (
                "modrelu-of-dead-units-let-through",
                f"dz = (pairs(dh) * gain[..., None, :] + pairs(u) * ((1 - gain) * {radial})[..., None, :])"
                ".reshape(dh.shape)",
                "the part along u of units that are off as well",
                "What does a unit with |z| + b < 0 hand on?",
            ),
        ],
    ),
    *slips(
        "modrelu",
        "unitary/modrelu",
        ALONG,
        [
            (
                "modrelu-bias-of-dead-units-too",
                f"db = {radial}",
                "a gradient at units that are off as well",
                "Does the bias of a unit that is off change the output?",
            ),
            (
                "modrelu-bias-from-the-real-part",
                "db = split(u * dh, 2)[0] * (gain > 0)",
                "the real parts' share only",
                "Over how many real numbers does the part along u sum?",
            ),
            (
                "modrelu-bias-with-the-gain",
                "db = db * gain",
                "the gain as a factor",
                "By how much does |h| grow with b?",
            ),
            (
                "modrelu-bias-with-the-length-of-dh",
                "db = (split(dh * dh, 2)[0] + split(dh * dh, 2)[1]) ** 0.5 * (gain > 0)",
                "the length of dh where its part along u belongs",
                "Does a change of b move h in the direction of dh?",
            ),
            (
                "modrelu-bias-with-z-for-its-direction",
                "db = (split(z * dh, 2)[0] + split(z * dh, 2)[1]) * (gain > 0)",
                "z where its direction belongs",
                "How far does h move when b grows by one?",
            ),
            (
                "modrelu-bias-with-the-new-state",
                "db = split(h * dh, 2)[0] + split(h * dh, 2)[1]",
                "h where the direction u belongs",
                "How far does h move when b grows by one?",
            ),
            (
                "modrelu-bias-with-the-wrong-sign",
                "db = -db",
                "the opposite sign",
                "Does a larger b make the output longer or shorter?",
            ),
        ],
    ),
]

"""Mistakes in the unitary network's blocks with parameters, each on its own: phases and reflections."""

from tinyrnn.verdicts.mistakes.entry import slips

turned = "y = e^{iθ} z turns every entry by θ, so its gradient has to be turned by -θ, the conjugate"
PHASES = [
    *slips(
        "phases",
        "unitary/phases",
        turned,
        [
            (
                "turned-forwards-once-more",
                "dz = phases(dy, E)",
                "a turn by +θ, the forward map once more",
                "Which number undoes a multiplication by e^{iθ}?",
                "tensorflow/tensorflow#378",
            ),
            (
                "not-turned-back",
                "dz = dy",
                "no turn at all",
                "Does a turn leave the gradient where it was, or only its length?",
            ),
            (
                "real-and-imaginary-part-exchanged",
                "dz = phases_backward(join(split(dy, 2)[1], split(dy, 2)[0]), E)",
                "the real and the imaginary parts exchanged before turning",
                "Which half of the array is the real part?",
            ),
            (
                "cosine-alone",
                "dz = dy * np.cos(join(theta, theta))",
                "the cosine's part only, so that real and imaginary parts never meet",
                "What does the imaginary part of y owe to the real part of z?",
            ),
            (
                "sines-of-the-same-sign",
                "dz = join(split(dy, 2)[0] * np.cos(theta) + split(dy, 2)[1] * np.sin(theta),"
                " split(dy, 2)[1] * np.cos(theta) + split(dy, 2)[0] * np.sin(theta))",
                "both sines with the same sign, which is a mirror image and no turn",
                "What are the four real numbers of a plane rotation, and which of them is negative?",
            ),
            (
                "sine-and-cosine-exchanged",
                "dz = join(split(dy, 2)[0] * np.sin(theta) + split(dy, 2)[1] * np.cos(theta),"
                " split(dy, 2)[1] * np.sin(theta) - split(dy, 2)[0] * np.cos(theta))",
                "sine and cosine exchanged",
                "Where does a turn by θ = 0 send the real part?",
            ),
        ],
    ),
    *slips(
        "phases",
        "unitary/phases",
        "∂y/∂θ = i y, so dθ = Σ Re(conj(dz) i z), the sum over time and batch of Re z Im dz - Im z Re dz",
        [
            (
                "phase-gradient-with-the-wrong-sign",
                "dtheta = -phases_gradient(z, dz)",
                "the opposite sign: the conjugate is at the wrong factor",
                "Which way does y move when θ grows?",
            ),
            (
                "phase-gradient-from-the-real-part",
                "dtheta = (split(z * dz, 2)[0] + split(z * dz, 2)[1]).sum(axis=(0, 1))",
                "Re z Re dz + Im z Im dz, the factor i forgotten",
                "Does a turn move z along itself or at a right angle to itself?",
            ),
            (
                "phase-gradient-with-a-plus",
                "dtheta = (split(z, 2)[0] * split(dz, 2)[1] + split(z, 2)[1] * split(dz, 2)[0]).sum(axis=(0, 1))",
                "a plus between its two terms: the conjugate is forgotten",
                "What is the sign of i times i?",
            ),
            (
                "phase-gradient-with-its-first-term-alone",
                "dtheta = (split(z, 2)[0] * split(dz, 2)[1]).sum(axis=(0, 1))",
                "the first of its two terms alone",
                "Into which of its two parts does a turn move the imaginary part of z?",
            ),
            (
                "phase-gradient-from-both-sides-of-the-turn",
                "dtheta = phases_gradient(z, dy)",
                "z before the turn with the gradient after it",
                "Are z and the gradient you multiply it with on the same side of the turn?",
            ),
            (
                "phase-gradient-from-both-sides-the-other-way",
                "dtheta = phases_gradient(y, dz)",
                "y after the turn with the gradient before it",
                "Are y and the gradient you multiply it with on the same side of the turn?",
            ),
            (
                "phase-gradient-of-the-first-step-alone",
                "dtheta = phases_gradient(z[:1], dz[:1])",
                "the term of step 0 only",
                "At how many steps does the same θ turn the state?",
            ),
            (
                "phase-gradient-averaged-over-the-batch",
                "dtheta = dtheta / B",
                "a mean over the batch",
                "Who divides by the size of the batch, the loss or the cell?",
            ),
        ],
    ),
]

MIRROR = "y = z - 2 v (v* z) / ||v||² is its own inverse and its own conjugate transpose"
conjugate = "join(split(v, 2)[0], -split(v, 2)[1])"
REFLECTION = [
    *slips(
        "reflection",
        "unitary/reflection",
        MIRROR,
        [
            (
                "reflection-without-the-two",
                "dz = dy - 0.5 * (dy @ Q) @ Q.T",
                "no factor 2, which projects onto the mirror instead of reflecting in it",
                "How far behind the mirror is the image?",
            ),
            (
                "reflection-without-the-norm",
                "dz = dy - (v @ v) * (dy @ Q) @ Q.T",
                "no division by ||v||²",
                "Should the mirror move when v gets longer?",
            ),
            (
                "reflection-divided-by-the-norm-not-squared",
                "dz = dy - (v @ v) ** 0.5 * (dy @ Q) @ Q.T",
                "a division by ||v|| where ||v||² belongs",
                "Should the mirror move when v gets longer?",
            ),
            (
                "reflection-with-a-plus",
                "dz = dy + (dy @ Q) @ Q.T",
                "a plus where the minus belongs, which makes vectors along v three times as long",
                "What does a mirror do to the part of a vector that stands upright on it?",
            ),
            (
                "not-reflected-back",
                "dz = dy",
                "the gradient as it came",
                "Does a mirror leave all vectors as they are?",
            ),
            (
                "reflection-of-the-real-part-of-the-product",
                "dz = dy - (dy @ Q[:, :1]) @ Q[:, :1].T",
                "the real part of v* z only",
                "How many real numbers is the inner product of two complex vectors?",
            ),
            (
                "reflection-without-the-conjugate",
                f"dz = dy - (dy @ reflection_weights({conjugate})) @ Q.T",
                "v in the inner product where its conjugate belongs",
                "What is the inner product of a complex vector with itself to be?",
                "tensorflow/tensorflow#378",
            ),
        ],
    ),
    *slips(
        "reflection",
        "unitary/reflection",
        "In y = z - 2 v (v* z) / ||v||² the vector v stands twice on top and, squared, below",
        [
            (
                "mirror-gradient-with-the-norm-held-fixed",
                "dv = dv + (reflection_gradient(z, dy, Q) * Q).sum() * v / (v @ v)",
                "a norm that does not depend on v",
                "Does ||v||² change when v does?",
            ),
            (
                "mirror-gradient-of-the-inner-product-alone",
                "dv = reflection_weights_backward(v, -weight_gradient(z, dy @ Q))",
                "the v in the inner product v* z only, not the one in front",
                "In how many places does v stand?",
            ),
            (
                "mirror-gradient-of-the-direction-alone",
                "dv = reflection_weights_backward(v, -weight_gradient(dy, z @ Q))",
                "the v in front only, not the one in the inner product v* z",
                "In how many places does v stand?",
            ),
            (
                "mirror-gradient-with-the-image",
                "dv = reflection_weights_backward(v, reflection_gradient(y, dy, Q))",
                "the image y where z belongs",
                "What goes into the inner product with v, the original or the image?",
            ),
            (
                "mirror-gradient-with-the-gradient-of-the-original",
                "dv = reflection_weights_backward(v, reflection_gradient(z, dz, Q))",
                "the gradient of z where that of y belongs",
                "On which side of the mirror is the gradient you start from?",
            ),
            (
                "mirror-gradient-from-the-real-part-of-the-product",
                "dv = reflection_weights_backward(v, reflection_gradient(z, dy, Q) * np.array([1, 0]))",
                "the real part of v* z only",
                "How many real numbers is the inner product of two complex vectors?",
            ),
            (
                "mirror-gradient-with-the-wrong-sign",
                "dv = -dv",
                "the opposite sign",
                "Which sign does the term with v have in the equation of y?",
            ),
            (
                "mirror-gradient-of-the-first-step-alone",
                "dv = reflection_weights_backward(v, reflection_gradient(z[:1], dy[:1], Q))",
                "the term of step 0 only",
                "At how many steps does the same mirror act?",
            ),
            (
                "mirror-gradient-averaged-over-the-batch",
                "dv = dv / B",
                "a mean over the batch",
                "Who divides by the size of the batch, the loss or the cell?",
            ),
        ],
    ),
]

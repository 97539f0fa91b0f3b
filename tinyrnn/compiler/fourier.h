/* The unitary Fourier transform, for any length, of complex numbers kept as separate real and imaginary parts.

   Stockham's autosort (Cochran et al. 1967; Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992,
   section 1.7), decimation in frequency. The length is split n = r m and the remaining m again, the passes read and
   write two arrays in turn, and the results come out in order, with no bit reversal. In a pass of radix r, s being the
   product of the radices before it,

       y[q + s (r p + j)] = w^(j p) sum_k x[q + s (p + m k)] e^(-2 pi i j k / r),    w = e^(-2 pi i / (r m)),

   for q < s, p < m, j < r. Real and imaginary parts are apart, so that neighbouring q (or p, in the first pass, where
   s = 1) are neighbours in memory and the loops vectorise. Radices 4, 2, 3 and 5 are written out; other primes r
   cost O(r) an element. The error grows with the number of passes, and with the square root of such an r. */
#ifndef TINYRNN_FOURIER_H
#define TINYRNN_FOURIER_H

#define ALWAYS_INLINE_ static inline __attribute__((always_inline))

/* The radix of the next pass. The rule of `radices` in fourier.py, which makes the twiddle factors in this order. */
static inline int radix_(int n) {
    if (n % 4 == 0) return 4;
    if (n % 2 == 0) return 2;
    for (int r = 3; r * r <= n; r += 2)
        if (n % r == 0) return r;
    return n;
}

/* How many reals of twiddle factors a pass has, and all passes. */
static inline int pass_twiddles_(int r, int m) { return 2 * (r - 1) * m + (r > 5 ? 2 * r : 0); }
static inline int twiddles_(int n) {
    int count = 0;
    for (int r, m = n; m > 1; count += pass_twiddles_(r, m)) r = radix_(m), m /= r;
    return count;
}

/* a[j] <- sum_k a[k] e^(-2 pi i j k / r) for a constant r, with everything in registers once it is inlined. */
ALWAYS_INLINE_ void small_dft_(const int r, real *ar, real *ai) {
    if (r == 2) {
        real br = ar[1], bi = ai[1];
        ar[1] = ar[0] - br, ai[1] = ai[0] - bi;
        ar[0] = ar[0] + br, ai[0] = ai[0] + bi;
    } else if (r == 3) {
        const real cos3 = (real)-0.5, sin3 = (real)0.86602540378443864676;
        real sr = ar[1] + ar[2], si = ai[1] + ai[2], dr = sin3 * (ar[1] - ar[2]), di = sin3 * (ai[1] - ai[2]);
        real mr = ar[0] + cos3 * sr, mi = ai[0] + cos3 * si;
        ar[0] += sr, ai[0] += si;
        ar[1] = mr + di, ai[1] = mi - dr;
        ar[2] = mr - di, ai[2] = mi + dr;
    } else if (r == 4) {
        real sr = ar[0] + ar[2], si = ai[0] + ai[2], dr = ar[0] - ar[2], di = ai[0] - ai[2];
        real tr = ar[1] + ar[3], ti = ai[1] + ai[3], er = ar[1] - ar[3], ei = ai[1] - ai[3];
        ar[0] = sr + tr, ai[0] = si + ti;
        ar[1] = dr + ei, ai[1] = di - er;
        ar[2] = sr - tr, ai[2] = si - ti;
        ar[3] = dr - ei, ai[3] = di + er;
    } else if (r == 5) {
        const real cos1 = (real)0.30901699437494742410, cos2 = (real)-0.80901699437494742410;
        const real sin1 = (real)0.95105651629515357212, sin2 = (real)0.58778525229247312917;
        real sr = ar[1] + ar[4], si = ai[1] + ai[4], dr = ar[1] - ar[4], di = ai[1] - ai[4];
        real tr = ar[2] + ar[3], ti = ai[2] + ai[3], er = ar[2] - ar[3], ei = ai[2] - ai[3];
        real mr = ar[0] + cos1 * sr + cos2 * tr, mi = ai[0] + cos1 * si + cos2 * ti;
        real nr = ar[0] + cos2 * sr + cos1 * tr, ni = ai[0] + cos2 * si + cos1 * ti;
        real ur = sin1 * dr + sin2 * er, ui = sin1 * di + sin2 * ei;
        real vr = sin2 * dr - sin1 * er, vi = sin2 * di - sin1 * ei;
        ar[0] += sr + tr, ai[0] += si + ti;
        ar[1] = mr + ui, ai[1] = mi - ur;
        ar[2] = nr + vi, ai[2] = ni - vr;
        ar[3] = nr - vi, ai[3] = ni + vr;
        ar[4] = mr - ui, ai[4] = mi + ur;
    }
}

/* One pass. */
ALWAYS_INLINE_ void pass_(const int r, const int s, const int m, const real *restrict tw, const real *restrict xr,
                          const real *restrict xi, real *restrict yr, real *restrict yi) {
    for (int p = 0; p < m; p++)
        for (int q = 0; q < s; q++) {
            real ar[5], ai[5];
            for (int k = 0; k < r; k++) ar[k] = xr[q + s * (p + m * k)], ai[k] = xi[q + s * (p + m * k)];
            small_dft_(r, ar, ai);
            yr[q + s * r * p] = ar[0], yi[q + s * r * p] = ai[0];
            for (int j = 1; j < r; j++) {
                real wr = tw[(2 * j - 2) * m + p], wi = tw[(2 * j - 1) * m + p];
                yr[q + s * (r * p + j)] = ar[j] * wr - ai[j] * wi;
                yi[q + s * (r * p + j)] = ar[j] * wi + ai[j] * wr;
            }
        }
}

/* The last pass, where m = 1 and the twiddle factors are 1, multiplies by `scale` instead. */
ALWAYS_INLINE_ void last_pass_(const int r, const int s, const real scale, const real *restrict xr,
                               const real *restrict xi, real *restrict yr, real *restrict yi) {
    for (int q = 0; q < s; q++) {
        real ar[5], ai[5];
        for (int k = 0; k < r; k++) ar[k] = xr[q + s * k], ai[k] = xi[q + s * k];
        small_dft_(r, ar, ai);
        for (int j = 0; j < r; j++) yr[q + s * j] = scale * ar[j], yi[q + s * j] = scale * ai[j];
    }
}

/* A pass of any other prime radix, the last one included. Its roots of unity come after its twiddle factors. */
static inline void prime_pass_(int r, int s, int m, real scale, const real *tw, const real *restrict xr,
                               const real *restrict xi, real *restrict yr, real *restrict yi) {
    const real *root_re = tw + 2 * (r - 1) * m, *root_im = root_re + r;
    for (int p = 0; p < m; p++)
        for (int j = 0; j < r; j++) {
            real *restrict to_re = yr + s * (r * p + j), *restrict to_im = yi + s * (r * p + j);
            memset(to_re, 0, s * sizeof(real)), memset(to_im, 0, s * sizeof(real));
            for (int k = 0, jk = 0; k < r; k++, jk = jk + j < r ? jk + j : jk + j - r) {
                const real *from_re = xr + s * (p + m * k), *from_im = xi + s * (p + m * k);
                for (int q = 0; q < s; q++) {
                    to_re[q] += from_re[q] * root_re[jk] - from_im[q] * root_im[jk];
                    to_im[q] += from_re[q] * root_im[jk] + from_im[q] * root_re[jk];
                }
            }
            real wr = scale, wi = 0;
            if (m > 1) wr = j ? tw[(2 * j - 2) * m + p] : 1, wi = j ? tw[(2 * j - 1) * m + p] : 0;
            for (int q = 0; q < s; q++) {
                real t = to_re[q] * wr - to_im[q] * wi;
                to_im[q] = to_re[q] * wi + to_im[q] * wr;
                to_re[q] = t;
            }
        }
}

/* `batch` transforms of length n at a time, whose elements alternate: x[q + batch k], q < batch. scratch: 2 batch n. */
static inline void transforms_(int batch, int n, real scale, const real *tw, const real *xr, const real *xi,
                               real *out_re, real *out_im, real *scratch) {
    int passes = 0;
    for (int m = n; m > 1; m /= radix_(m)) passes++;
    for (int s = batch, m = n; m > 1; passes--) {
        int r = radix_(m);
        real *yr = passes % 2 ? out_re : scratch, *yi = passes % 2 ? out_im : scratch + batch * n;
        m /= r;
#define PASS_(R)                                                      \
    do { /* s = 1 and s = 4 apart, so that these vectorise over p */  \
        if (m == 1) last_pass_(R, s, scale, xr, xi, yr, yi);          \
        else if (s == 1) pass_(R, 1, m, tw, xr, xi, yr, yi);          \
        else if (s == 4) pass_(R, 4, m, tw, xr, xi, yr, yi);          \
        else pass_(R, s, m, tw, xr, xi, yr, yi);                      \
    } while (0)
        if (r == 4) PASS_(4);
        else if (r == 2) PASS_(2);
        else if (r == 3) PASS_(3);
        else if (r == 5) PASS_(5);
        else prime_pass_(r, s, m, scale, tw, xr, xi, yr, yi);
#undef PASS_
        tw += pass_twiddles_(r, m);
        s *= r;
        xr = yr, xi = yi;
    }
}

#define LONGEST_ 4096 /* transforms up to here fit in the cache as they are */
#define LONGEST_ROW_ 2048
#define TILE_ 16 /* one cache line of floats */

/* How many rows a long input is split into, or 1 where there is no useful split. The rule of `rows` in fourier.py. */
static inline int rows_(int n) {
    for (int n1 = 16; n > LONGEST_ && n1 <= 512; n1++)
        if (n % n1 == 0 && n / n1 >= 64 && n / n1 <= LONGEST_ROW_) return n1;
    return 1;
}

/* Columns j to j + b of the input, copied together, transformed and multiplied by e^(-2 pi i j k / n). */
ALWAYS_INLINE_ void columns_(const int b, int j, int n1, int n2, const real *tw, const real *re, const real *im,
                             real *restrict out_re, real *restrict out_im, real *restrict scratch) {
    const int n = n1 * n2, size = b * n1;
    real *ar = scratch, *ai = ar + size, *br = ai + size, *bi = br + size, *work = bi + size;
    for (int k = 0; k < n1; k++)
        for (int q = 0; q < b; q++) ar[b * k + q] = re[n2 * k + j + q], ai[b * k + q] = im[n2 * k + j + q];
    transforms_(b, n1, 1, tw + 2 * n, ar, ai, br, bi, work);
    for (int k = 0; k < n1; k++)
        for (int q = 0; q < b; q++) {
            const real wr = tw[n2 * k + j + q], wi = tw[n + n2 * k + j + q];
            out_re[n2 * k + j + q] = br[b * k + q] * wr - bi[b * k + q] * wi;
            out_im[n2 * k + j + q] = br[b * k + q] * wi + bi[b * k + q] * wr;
        }
}

/* The n1 x n2 matrix a, transposed into b by way of tiles that are read and written a cache line at a time. */
static inline void transpose_(int n1, int n2, const real *restrict a, real *restrict b) {
    real tile[TILE_][TILE_];
    for (int j = 0; j < n2; j += TILE_)
        for (int i = 0; i < n1; i += TILE_) {
            const int height = n1 - i < TILE_ ? n1 - i : TILE_, width = n2 - j < TILE_ ? n2 - j : TILE_;
            for (int k = 0; k < height; k++)
                for (int q = 0; q < width; q++) tile[q][k] = a[n2 * (i + k) + j + q];
            for (int q = 0; q < width; q++)
                for (int k = 0; k < height; k++) b[n1 * (j + q) + i + k] = tile[q][k];
        }
}

/* Bailey's four steps (FFTs in external or hierarchical memory, 1990). The passes of a long transform walk through
   memory in strides of a power of two, which fall on the same few lines of the cache. So take the input as a matrix of
   n1 rows: transform the columns, a few at a time; multiply by twiddle factors; transform the rows; transpose. */
static inline void long_transform_(int n1, int n2, real scale, const real *tw, const real *re, const real *im,
                                   real *out_re, real *out_im, real *scratch) {
    const int n = n1 * n2;
    const real *tw_rows = tw + 2 * n + twiddles_(n1);
    real row[2 * LONGEST_ROW_];
    int j = 0;
    for (; j + TILE_ <= n2; j += TILE_) columns_(TILE_, j, n1, n2, tw, re, im, out_re, out_im, scratch);
    for (; j < n2; j++) columns_(1, j, n1, n2, tw, re, im, out_re, out_im, scratch);
    for (int k = 0; k < n; k += n2)
        transforms_(1, n2, scale, tw_rows, out_re + k, out_im + k, scratch + k, scratch + n + k, row);
    transpose_(n1, n2, scratch, out_re);
    transpose_(n1, n2, scratch + n, out_im);
}

/* out = F x with F[j, k] = e^(-2 pi i j k / n) / sqrt(n), the unitary transform (norm="ortho"), for any n >= 1. For the
   inverse exchange real and imaginary parts on both sides. tw is fourier.twiddles(n); scratch has room for 2 n reals;
   neither out nor scratch may overlap the input. */
static inline void fft_(int n, const real *tw, const real *re, const real *im, real *out_re, real *out_im,
                        real *scratch) {
    const real scale = (real)(1 / __builtin_sqrt(n));
    const int n1 = rows_(n);
    if (n == 1) out_re[0] = re[0], out_im[0] = im[0];
    else if (n1 == 1) transforms_(1, n, scale, tw, re, im, out_re, out_im, scratch);
    else long_transform_(n1, n / n1, scale, tw, re, im, out_re, out_im, scratch);
}

#endif

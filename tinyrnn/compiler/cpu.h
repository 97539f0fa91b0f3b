/* What the generated text means on a processor: one call takes a piece of the rows through some time steps. */
#include "runtime.h"
#include <math.h>

typedef long long integer;

/* One array over time: (T, rows, numbers). `wrap` is 0, or for a carried gradient, which is kept for two time steps
   only, 1 where it is written and 2 where it is read. */
typedef struct {
    char *data;
    integer time, row, wrap; /* strides in bytes */
} array;

/* gemm() of gemm.h, from a library that all kernels share: compiling it takes longer than compiling a kernel. */
EXPORT void (*gemm_)(long m, long k, long n, const real *x, long x_row, const real *panels, real *out, long out_row,
                     int add);

/* What a kernel is to do: take the rows, in so many pieces, through time steps t_from, … in steps of `direction`, up to
   but not including t_to. each: each piece belongs to one time step, that of its number. */
typedef struct {
    const array *A;
    const void *const *P;
    const real *const *panels, *const *twiddles;
    real *scratch;
    integer scratch_size, t_from, t_to, direction, rows, pieces, each;
} work;

#define KERNEL(name)                                                                                                   \
    static void name##_rows(const work *W, real *scratch, long t_from, long t_to, long row_from, long row_to);         \
    EXPORT void name(const work *W, long piece)                                                                        \
    {                                                                                                                  \
        const unsigned denormals = flush_denormals();                                                                  \
        const long t_from = (long)(W->each ? piece : W->t_from), t_to = (long)(W->each ? piece + 1 : W->t_to);         \
        name##_rows(W, W->scratch + piece * W->scratch_size, t_from, t_to, (long)(W->rows * piece / W->pieces),        \
                    (long)(W->rows * (piece + 1) / W->pieces));                                                        \
        restore_denormals(denormals);                                                                                  \
    }                                                                                                                  \
    static void name##_rows(const work *W, real *scratch, long t_from, long t_to, long row_from, long row_to)
#define BEGIN                                                                                                          \
    const array *const A = W->A;                                                                                       \
    const void *const *const P = W->P;                                                                                 \
    const real *const *const panels = W->panels, *const *const twiddles = W->twiddles;                                 \
    const long direction = (long)W->direction;                                                                         \
    long b = row_from;                                                                                                 \
    (void)scratch, (void)panels, (void)twiddles, (void)P
#define STEPS for (long t = t_from; t != t_to; t += direction)
#define END (void)0
#define ROWS for (b = row_from; b < row_to; b++)
#define WHEN(a) ((a).wrap ? (t + (a).wrap) & 1 : t)
#define REALS(k) ((real *)(A[k].data + WHEN(A[k]) * A[k].time + b * A[k].row))
#define INTEGERS(k) ((const integer *)(A[k].data + t * A[k].time + b * A[k].row))
#define SCRATCH(offset) (scratch + (offset))
#define GEMM(n_in, n_out, from, offset, panel, to, add)                                                                \
    (b = row_from, gemm_(row_to - row_from, n_in, n_out, REALS(from) + (offset), A[from].row / (long)sizeof(real),      \
                        panels[panel], REALS(to), A[to].row / (long)sizeof(real), add))
#define FOURIER(n, k, re, im, out_re, out_im, scratch) fft_(n, twiddles[k], re, im, out_re, out_im, scratch)
#ifdef __clang__
#define FOR(j, n) _Pragma("clang loop vectorize(assume_safety)") for (long j = 0; j < (n); j++)
#else
#define FOR(j, n) _Pragma("GCC ivdep") for (long j = 0; j < (n); j++)
#endif
/* A loop in which totals are summed up, in whatever order. Only these may be regrouped: elsewhere x + y - y is not x. */
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SUMS(j, n, ...) PRAGMA(omp simd reduction(+ : __VA_ARGS__)) for (long j = 0; j < (n); j++)
#define LARGEST(j, n, ...) PRAGMA(omp simd reduction(max : __VA_ARGS__)) for (long j = 0; j < (n); j++)
#define TOTAL(out, sum) (out) = (sum)
#define SYNC (void)0
#define REAL(x) ((real)(x))

#if REAL_IS_FLOAT
#define sqrt_ __builtin_sqrtf
#define abs_ __builtin_fabsf
#define log_ logf
#define log1p_ log1pf
#define sin_ sinf
#define cos_ cosf
#else
#define sqrt_ __builtin_sqrt
#define abs_ __builtin_fabs
#define log_ log
#define log1p_ log1p
#define sin_ sin
#define cos_ cos
#endif

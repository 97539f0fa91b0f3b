/* What the generated text means on a GPU (not yet run on a device, see gpu.py). Rows do not depend on each other at any
   time step, so a block of threads keeps its few rows from the first time step to the last: one launch for the whole
   sequence, and nothing to wait for outside the block. The threads share out the units of a row (FOR) and the columns
   of a product (GEMM); between two loops they wait for each other (SYNC), and all of them come to every SYNC.

   To be defined before: REAL_IS_FLOAT; WARP and BLOCK, threads in a warp and in a block; ROWS_EACH, rows that a block
   takes; ARRAYS, PARAMS, PANELS, TWIDDLES, lengths of the tables; SCRATCH_SIZE, numbers of scratch memory for a block,
   and SCRATCH_SHARED, whether it is on the chip; PARTIAL_SIZE, numbers that threads can exchange. */
#if REAL_IS_FLOAT
typedef float real;
#else
typedef double real;
#endif
/* C++ picks the function that fits the type; NaN comes out as NaN. */
#define tanh_ tanh
#define exp_ exp
#define expm1_ expm1
#define sqrt_ sqrt
#define abs_ fabs
#define log_ log
#define log1p_ log1p
#define sin_ sin
#define cos_ cos
#ifndef NAN /* the compiler at run time has no math.h */
#define NAN ((real)__longlong_as_double(0x7ff8000000000000LL))
#define INFINITY ((real)__longlong_as_double(0x7ff0000000000000LL))
#endif
typedef long long integer;

/* One array over time, as in cpu.h. */
typedef struct {
    char *data;
    long long time, row, wrap; /* strides in bytes */
} array;

/* The only argument, passed by value: it comes with the launch and is read as fast as a constant. */
typedef struct {
    array A[ARRAYS];
    const void *P[PARAMS];
    const real *panels[PANELS], *twiddles[TWIDDLES];
    real *scratch;
    long long t_from, t_to, direction, rows;
} arguments;

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(BLOCK) name(const __grid_constant__ arguments given)
#if SCRATCH_SHARED
#define SCRATCH_MEMORY __shared__ real scratch[SCRATCH_SIZE]
#else
#define SCRATCH_MEMORY real *const scratch = given.scratch + (long long)blockIdx.x * SCRATCH_SIZE
#endif
#define BEGIN                                                                                                          \
    const array *const A = given.A;                                                                                    \
    const void *const *const P = given.P;                                                                              \
    const long long row_from = (long long)blockIdx.x * ROWS_EACH;                                                      \
    const long long row_to = row_from + ROWS_EACH < given.rows ? row_from + ROWS_EACH : given.rows;                    \
    long long b = row_from;                                                                                            \
    __shared__ real partial[PARTIAL_SIZE];                                                                             \
    SCRATCH_MEMORY;                                                                                                    \
    (void)P, (void)partial, (void)scratch
#define STEPS for (long long t = given.t_from; t != given.t_to; t += given.direction)
#define END
#define ROWS for (b = row_from; b < row_to; b++)
#define WHEN(a) ((a).wrap ? (t + (a).wrap) & 1 : t)
#define REALS(k) ((real *)(A[k].data + WHEN(A[k]) * A[k].time + b * A[k].row))
#define INTEGERS(k) ((const integer *)(A[k].data + t * A[k].time + b * A[k].row))
#define SCRATCH(offset) (scratch + (offset))
#define FOR(j, n) for (int j = threadIdx.x; j < (n); j += BLOCK)
#define SUMS(j, n, ...) FOR(j, n)
#define SYNC __syncthreads()
#define REAL(x) ((real)(x))
#define TOTAL(out, sum) total_(&(out), sum, partial)
#define GEMM(n_in, n_out, from, offset, panel, to, add)                                                                \
    (b = row_from, gemm_((int)(row_to - row_from), n_in, n_out, REALS(from) + (offset),                                \
                         A[from].row / (long long)sizeof(real), given.panels[panel], REALS(to),                        \
                         A[to].row / (long long)sizeof(real), add, partial))
#define FOURIER(n, k, re, im, out_re, out_im, scratch) fft_(n, given.twiddles[k], re, im, out_re, out_im, scratch)

/* out = the sum of every thread's `sum`: within each warp in registers, then over the warps. */
static __device__ __forceinline__ void total_(real *out, real sum, real *partial)
{
    for (int far = WARP / 2; far > 0; far /= 2) sum += __shfl_down_sync(0xffffffffu, sum, far);
    SYNC; /* what was in `partial` has been read */
    if (threadIdx.x % WARP == 0) partial[threadIdx.x / WARP] = sum;
    SYNC;
    if (threadIdx.x == 0) {
        for (int k = 1; k < BLOCK / WARP; k++) sum += partial[k];
        *out = sum;
    }
}

/* out (+)= x W for the rows of the block; W (n_in, n_out) lies row by row. A thread sums up one column for all rows, so
   that every weight is read once and neighbours read neighbouring weights. Where there are more threads than columns,
   groups of threads take a part of the sum each; then no thread has more than one column, so that all come to SYNC. */
static __device__ __forceinline__ void gemm_(int rows, int n_in, int n_out, const real *x, long long x_row,
                                             const real *W, real *out, long long out_row, int add, real *partial)
{
    const int groups = n_out < BLOCK ? BLOCK / n_out : 1, group = threadIdx.x / n_out;
    const int k_to = group < groups ? n_in * (group + 1) / groups : 0;
    for (int j = threadIdx.x % n_out; j < n_out; j += BLOCK) {
        real sum[ROWS_EACH] = {0};
#pragma unroll 8
        for (int k = n_in * group / groups; k < k_to; k++) {
            const real weight = __ldg(W + k * n_out + j);
            for (int r = 0; r < ROWS_EACH; r++) sum[r] += x[(r < rows ? r : 0) * x_row + k] * weight;
        }
        if (groups > 1) {
            SYNC; /* what was in `partial` has been read */
            for (int r = 0; r < ROWS_EACH; r++) partial[r * BLOCK + threadIdx.x] = sum[r];
            SYNC;
            if (group == 0)
                for (int r = 0; r < rows; r++)
                    for (int g = 1; g < groups; g++) sum[r] += partial[r * BLOCK + g * n_out + j];
        }
        for (int r = 0; r < ROWS_EACH; r++)
            if (group == 0 && r < rows) out[r * out_row + j] = add ? out[r * out_row + j] + sum[r] : sum[r];
    }
}

/* The unitary Fourier transform by Stockham's passes, as in fourier.h, one result a thread. tw: the n roots of unity
   e^(-2 pi i k / n), real parts and imaginary parts, how many passes there are and the radix r of each. With s the
   product of the radices before and n = r m s,
       y[q + s (r p + j)] = sum_k x[q + s (p + m k)] w^(s p j + (n / r) j k),    w = e^(-2 pi i / n). */
static __device__ void fft_(int n, const real *tw, const real *re, const real *im, real *out_re, real *out_im,
                            real *scratch)
{
    const int passes = (int)tw[2 * n];
    for (int pass = 1, s = 1, m = n; pass <= passes; pass++) {
        const int r = (int)tw[2 * n + pass], to_out = (passes - pass) % 2 == 0;
        real *to_re = to_out ? out_re : scratch, *to_im = to_out ? out_im : scratch + n;
        const real scale = pass == passes ? 1 / sqrt_((real)n) : (real)1;
        m /= r;
        FOR(e, n) {
            const int q = e % s, j = e / s % r, p = e / s / r, turn = n / r * j;
            real sum_re = 0, sum_im = 0;
            for (int k = 0, angle = s * p * j; k < r; k++) { /* s p j < n */
                const int at = q + s * (p + m * k);
                const real wr = tw[angle], wi = tw[n + angle];
                sum_re += re[at] * wr - im[at] * wi;
                sum_im += re[at] * wi + im[at] * wr;
                angle = angle + turn < n ? angle + turn : angle + turn - n;
            }
            to_re[e] = scale * sum_re, to_im[e] = scale * sum_im;
        }
        SYNC;
        re = to_re, im = to_im, s *= r;
    }
}

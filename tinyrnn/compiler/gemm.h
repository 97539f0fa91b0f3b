/* Products of a few rows with a matrix of weights, for which a library's routine spends much of its time on copying the
   weights into the order it likes. Here they are packed once for all time steps: pack() lays W (k x n) out in panels
   of NR columns, and gemm() multiplies blocks of MR rows with one panel, all sums kept in registers. Measured against
   OpenBLAS at 32 x 128 x 512 and 32 x 512 x 2048 (float, one core with AVX-512): 39 against 54 and 594 against 969 us. */
#include "runtime.h"

#if defined __AVX512F__
#define VECTOR_BYTES 64
#define MR 8
#elif defined __AVX__
#define VECTOR_BYTES 32
#define MR 6
#else
#define VECTOR_BYTES 16
#define MR 6
#endif
typedef real vector __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));
#define LANES (VECTOR_BYTES / (int)sizeof(real))
#define NR (2 * LANES)

/* Makes the compiler hold a vector in a register: for few rows, GCC reads it from memory again for each of them. */
#if defined __GNUC__ && defined __x86_64__
#define KEEP(v) __asm__("" : "+v"(v))
#else
#define KEEP(v) (void)0
#endif

EXPORT int panel_width(void) { return NR; }

/* W: element (i, j) at W[i * row + j * column]; panels: k * n rounded up to whole panels. */
EXPORT void pack(const real *W, real *panels, long k, long n, long row, long column)
{
    for (long j = 0; j < n; j += NR)
        for (long i = 0; i < k; i++)
            for (long l = j; l < j + NR; l++) *panels++ = l < n ? W[i * row + l * column] : 0;
}

/* R rows of out (+)= x times one panel, of which `width` columns count. */
#define BLOCK(R)                                                                                                       \
    static void block##R(const real *x, long x_row, const real *panel, long k, real *out, long out_row, int width,     \
                         int add)                                                                                      \
    {                                                                                                                  \
        vector sum[R][2];                                                                                              \
        for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = (vector){0};                                               \
        for (long i = 0; i < k; i++, panel += NR) {                                                                    \
            vector left = *(const vector *)panel, right = *(const vector *)(panel + LANES);                            \
            KEEP(left); KEEP(right);                                                                                   \
            _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)                                                        \
            {                                                                                                          \
                real value = x[r * x_row + i];                                                                         \
                sum[r][0] += value * left;                                                                             \
                sum[r][1] += value * right;                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        for (int r = 0; r < R; r++, out += out_row) {                                                                  \
            if (width == NR) {                                                                                         \
                vector *to = (vector *)out, *next = (vector *)(out + LANES);                                           \
                if (add) sum[r][0] += *to, sum[r][1] += *next;                                                         \
                *to = sum[r][0], *next = sum[r][1];                                                                    \
            } else                                                                                                     \
                for (int l = 0; l < width; l++) {                                                                      \
                    real value = l < LANES ? sum[r][0][l] : sum[r][1][l - LANES];                                      \
                    out[l] = add ? out[l] + value : value;                                                             \
                }                                                                                                      \
        }                                                                                                              \
    }
BLOCK(1) BLOCK(2) BLOCK(3) BLOCK(4) BLOCK(5) BLOCK(6) BLOCK(7) BLOCK(8)

/* out (+)= x W for m rows; x_row and out_row: from one row to the next, in numbers. */
EXPORT void gemm(long m, long k, long n, const real *x, long x_row, const real *panels, real *out, long out_row,
                 int add)
{
    const long blocks = (m + MR - 1) / MR; /* as equal as can be: a block of few rows takes as long as one of many */
    for (long j = 0; j < n; j += NR, panels += k * NR) {
        const int width = n - j < NR ? (int)(n - j) : NR;
        for (long block = 0, i = 0, next; block < blocks; block++, i = next) {
            next = m * (block + 1) / blocks;
            const real *rows = x + i * x_row;
            real *to = out + i * out_row + j;
#define CASE(R)                                                                                                        \
    case R: block##R(rows, x_row, panels, k, to, out_row, width, add); break;
            switch (next - i) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) }
#undef CASE
        }
    }
}

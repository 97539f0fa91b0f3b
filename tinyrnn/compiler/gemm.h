/* Products of a few rows with a matrix of weights, for which a library's routine spends much of its time on copying the
   weights into the order it likes. Here they are packed once for all time steps: pack() lays W (k x n) out in panels
   of NR columns, and gemm() multiplies blocks of MR rows with one panel, all sums kept in registers. Measured against
   OpenBLAS at 32 x 128 x 512 and 32 x 512 x 2048 (float, one core with AVX-512): 39 against 54 and 594 against 969 us.

   Gradients of weights are sums over many rows: add_products() packs a few hundred rows at a time, add_rows() is the same
   for one-hot rows. */
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
#define DEPTH 256 /* rows that are packed at a time: a panel of so many is at home in the first cache */
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
    for (long j = 0; j < n; j += NR, panels += k * NR)
        for (long from = 0; from < k; from += LANES) { /* a few rows at a time, as W may lie in columns */
            const long to = from + LANES < k ? from + LANES : k;
            const int width = n - j < NR ? (int)(n - j) : NR;
            if (column == 1 && width == NR)
                for (long i = from; i < to; i++) memcpy(panels + i * NR, W + i * row + j, NR * sizeof(real));
            else
                for (int l = 0; l < NR; l++)
                    for (long i = from; i < to; i++) panels[i * NR + l] = l < width ? W[i * row + (j + l) * column] : 0;
        }
}

/* out (+)= the first `width` of two vectors. Not inlined, for that would more than double what there is to compile. */
static __attribute__((noinline)) void narrow(vector left, vector right, real *out, int width, int add)
{
    const vector both[2] = {left, right};
    real row[NR];
    memcpy(row, both, sizeof row);
    for (int l = 0; l < width; l++) out[l] = add ? out[l] + row[l] : row[l];
}

/* R rows of out (+)= x times one panel, of which `width` columns count. Number i of row r is AT. */
#define BLOCK(name, R, AT)                                                                                             \
    static void name##R(const real *x, long x_row, const real *panel, long k, real *out, long out_row, int width,      \
                        int add)                                                                                       \
    {                                                                                                                  \
        vector sum[R][2];                                                                                              \
        for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = (vector){0};                                               \
        for (long i = 0; i < k; i++, panel += NR) {                                                                    \
            vector left = *(const vector *)panel, right = *(const vector *)(panel + LANES);                            \
            KEEP(left); KEEP(right);                                                                                   \
            _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)                                                        \
            {                                                                                                          \
                real value = AT;                                                                                        \
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
                narrow(sum[r][0], sum[r][1], out, width, add);                                                         \
        }                                                                                                              \
    }
#define BLOCKS(name, AT)                                                                                               \
    BLOCK(name, 1, AT) BLOCK(name, 2, AT) BLOCK(name, 3, AT) BLOCK(name, 4, AT)                                        \
    BLOCK(name, 5, AT) BLOCK(name, 6, AT) BLOCK(name, 7, AT) BLOCK(name, 8, AT)
BLOCKS(block, x[r * x_row + i])
BLOCKS(turned, x[i * x_row + r])
#define CASE(name, R)                                                                                                  \
    case R: name##R(rows, x_row, panel, k, to, out_row, width, add); break;
#define CASES(name)                                                                                                    \
    CASE(name, 1) CASE(name, 2) CASE(name, 3) CASE(name, 4) CASE(name, 5) CASE(name, 6) CASE(name, 7) CASE(name, 8)

/* m rows of out (+)= x times one panel; is_turned: x is x^T. The blocks are as equal as can be: one of few rows takes as
   long as one of many. */
static void times_panel(long m, long k, const real *x, long x_row, int is_turned, const real *panel, real *out,
                        long out_row, int width, int add)
{
    const long blocks = (m + MR - 1) / MR;
    for (long block = 0, i = 0, next; block < blocks; block++, i = next) {
        next = m * (block + 1) / blocks;
        const real *rows = x + (is_turned ? i : i * x_row);
        real *to = out + i * out_row;
        if (is_turned)
            switch (next - i) { CASES(turned) }
        else
            switch (next - i) { CASES(block) }
    }
}

/* out (+)= x W for m rows; x_row and out_row: from one row to the next, in numbers. */
EXPORT void gemm(long m, long k, long n, const real *x, long x_row, const real *panels, real *out, long out_row,
                 int add)
{
    for (long j = 0; j < n; j += NR, panels += k * NR)
        times_panel(m, k, x, x_row, 0, panels, out + j, out_row, n - j < NR ? (int)(n - j) : NR, add);
}

/* out (k x n) += x^T y for so many rows of x and y; x_row and y_row: from one to the next, in numbers. */
EXPORT void add_products(long rows, long k, long n, const real *x, long x_row, const real *y, long y_row, real *out)
{
    real panel[DEPTH * NR] __attribute__((aligned(VECTOR_BYTES)));
    for (long depth; rows > 0; rows -= depth, x += depth * x_row, y += depth * y_row) {
        depth = rows < DEPTH ? rows : DEPTH;
        for (long j = 0; j < n; j += NR) {
            const int width = n - j < NR ? (int)(n - j) : NR;
            pack(y + j, panel, depth, width, y_row, 1);
            times_panel(k, depth, x, x_row, 1, panel, out + j, n, width, 1);
        }
    }
}

/* Row numbers[i] of out (., n) += row i of y, for so many rows of y. */
EXPORT void add_rows(long rows, long n, const long long *numbers, const real *y, long y_row, real *out)
{
    for (long i = 0; i < rows; i++, y += y_row) {
        real *to = out + numbers[i] * n;
        for (long j = 0; j < n; j++) to[j] += y[j];
    }
}

/* Products of a few rows with a matrix of weights, for which a library's routine spends much of its time on copying the
   weights into the order it likes. Here they are packed once for all time steps: pack() lays W (k x n) out in panels
   of NR columns, and gemm() multiplies blocks of MR rows with one panel, all sums kept in registers. Measured against
   OpenBLAS at 32 x 128 x 512 and 32 x 512 x 2048 (float, one core with AVX-512): 39 against 54 and 594 against 969 us.

   Gradients of weights are sums over many rows, of which sum_products() packs a few hundred at a time. */
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
#define LONG 512  /* numbers of a row of x that are taken at a time */
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

/* W (k x n): element (i, j) at W[i * row + j * column]; panels: k * n rounded up to whole panels. */
static void pack(const real *W, real *panels, long k, long n, long row, long column)
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

typedef struct {
    const real *W;
    real *panels;
    long long k, n, row, column;
} matrix;

typedef struct {
    const matrix *matrices;
    long long count, pieces;
} packing;

/* A piece of the panels of each of the matrices. */
EXPORT void pack_weights(const packing *p, long piece)
{
    for (const matrix *m = p->matrices; m < p->matrices + p->count; m++) {
        const long panels = (long)(m->n + NR - 1) / NR;
        const long from = panels * piece / (long)p->pieces * NR, to = panels * (piece + 1) / (long)p->pieces * NR;
        pack(m->W + from * m->column, m->panels + from * m->k, (long)m->k, (to < m->n ? to : (long)m->n) - from,
             (long)m->row, (long)m->column);
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
    for (long i = 0; i < k; i += LONG) /* so much of a row of x, and of a panel, is found in the caches again */
        for (long j = 0; j < n; j += NR)
            times_panel(m, k - i < LONG ? k - i : LONG, x + i, x_row, 0, panels + j * k + i * NR, out + j, out_row,
                        n - j < NR ? (int)(n - j) : NR, add || i > 0);
}

/* out (k x n) = x^T y, sums over so many rows of x and y; x_row and y_row: from one to the next, in numbers. Where k
   is 0, x holds class numbers, which stand for one-hot rows, of which out has n_classes; where there is no x, it is ones,
   one a row. */
typedef struct {
    const void *x;
    const real *y;
    real *out;
    long long x_row, y_row, rows, k, n, n_classes;
} product;

static int is_tall(const product *p) { return p->k > p->n; }

/* Columns j … of a product, as far as rows `row` … go: those of y are in the panel. */
static void add_panel(const product *p, long row, long depth, const real *panel, long j, int width)
{
    if (p->x) {
        const real *x = (const real *)p->x + row * p->x_row;
        times_panel((long)p->k, depth, x, (long)p->x_row, 1, panel, p->out + j, (long)p->n, width, row > 0);
        return;
    }
    vector left = {0}, right = {0};
    for (long i = 0; i < depth; i++, panel += NR)
        left += *(const vector *)panel, right += *(const vector *)(panel + LANES);
    narrow(left, right, p->out + j, width, row > 0);
}

/* Columns `from` … `to`, as far as rows `row` … go, of a product with one-hot rows. */
static void add_classes(const product *p, long row, long depth, long from, long to)
{
    const long long *numbers = p->x;
    for (long i = 0; i < (row ? 0 : p->n_classes); i++)
        for (long j = from; j < to; j++) p->out[i * p->n + j] = 0;
    for (long i = row; i < row + depth; i++) {
        const real *y = p->y + i * p->y_row;
        real *out = p->out + numbers[i] * p->n;
        for (long j = from; j < to; j++) out[j] += y[j];
    }
}

/* Columns `from` … `to` of products that have their y in common, which is packed once. Rows are added up in their order,
   whoever does it. */
static void columns_of(const product *first, const product *last, long from, long to)
{
    real panel[DEPTH * NR] __attribute__((aligned(VECTOR_BYTES)));
    for (long row = 0, depth; row < first->rows; row += depth) {
        depth = first->rows - row < DEPTH ? (long)first->rows - row : DEPTH;
        for (const product *p = first; p < last; p++)
            if (p->k == 0) add_classes(p, row, depth, from, to);
        for (long j = from; j < to; j += NR) {
            const int width = to - j < NR ? (int)(to - j) : NR;
            pack(first->y + row * first->y_row + j, panel, depth, width, (long)first->y_row, 1);
            for (const product *p = first; p < last; p++)
                if (p->k > 0) add_panel(p, row, depth, panel, j, width);
        }
    }
}

/* Rows `from` … `to` of a tall product, as columns of its transpose y^T x: vectors lie along the longer axis. */
static void rows_of(const product *p, long from, long to, real *turned)
{
    real panel[DEPTH * NR] __attribute__((aligned(VECTOR_BYTES)));
    for (long j = from; j < to; j += NR) {
        const int width = to - j < NR ? (int)(to - j) : NR;
        for (long row = 0, depth; row < p->rows; row += depth) {
            depth = p->rows - row < DEPTH ? (long)p->rows - row : DEPTH;
            pack((const real *)p->x + row * p->x_row + j, panel, depth, width, (long)p->x_row, 1);
            times_panel((long)p->n, depth, p->y + row * p->y_row, (long)p->y_row, 1, panel, turned, NR, NR, row > 0);
        }
        for (int l = 0; l < width; l++)
            for (long i = 0; i < p->n; i++) p->out[(j + l) * p->n + i] = turned[i * NR + l];
    }
}

typedef struct {
    const product *products; /* those with the same y side by side */
    long long count, pieces;
    real *turned; /* for each piece n * panel_width() numbers, n the largest */
    long long turned_size;
} sums;

/* A piece of each of the products: some of its columns; of a tall one some of its rows. */
EXPORT void sum_products(const sums *s, long piece)
{
    const unsigned denormals = flush_denormals();
    const product *const end = s->products + s->count;
    for (const product *p = s->products, *next; p < end; p = next) {
        for (next = p + 1; next < end && !is_tall(p) && !is_tall(next) && next->y == p->y && next->n == p->n;) next++;
        const long size = (long)(is_tall(p) ? p->k : p->n), panels = (size + NR - 1) / NR, pieces = (long)s->pieces;
        long from = panels * piece / pieces * NR, to = panels * (piece + 1) / pieces * NR;
        from = from < size ? from : size, to = to < size ? to : size;
        if (is_tall(p))
            rows_of(p, from, to, s->turned + piece * s->turned_size);
        else
            columns_of(p, next, from, to);
    }
    restore_denormals(denormals);
}

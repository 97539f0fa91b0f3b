/* What generated C needs beside arithmetic: tanh, exp and expm1 that vectorise, an FFT, and the denormals switch.

   Define REAL_IS_FLOAT as 1 (float) or 0 (double) before including this file; `real` is that type. Needs C11 and the
   fma of GCC or Clang.

   Everything here stays right under -ffp-contract=fast. It needs NaN and infinity, so never -ffinite-math-only, nor
   -fno-signed-zeros, with which GCC 12 takes x * 0 for 0 even where x is NaN. Where the order of operations matters it
   is written as fma_(a, b, c), one operation, which a compiler may not regroup. */
#ifndef TINYRNN_RUNTIME_H
#define TINYRNN_RUNTIME_H

#include <stdint.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

#if REAL_IS_FLOAT
typedef float real;
typedef int32_t real_bits;
#define fma_ __builtin_fmaf
#define rint_ __builtin_rintf
#else
typedef double real;
typedef int64_t real_bits;
#define fma_ __builtin_fma
#define rint_ __builtin_rint
#endif

/* ---- exp, expm1, tanh ----------------------------------------------------------------------------------------------

   Loops over these functions vectorise: there are no branches and no tables in them. NaN comes out as NaN, overflow as
   infinity. The error is at most 2 units in the last place for exp and 3 for expm1 and tanh (measured: 1.1, 2.2, 2.6).

   exp and expm1 reduce the argument as Cody and Waite do (Software Manual for the Elementary Functions, 1980):
   x = k ln 2 + r with |r| <= ln(2) / 2, where ln 2 is the sum of two constants so that r keeps its digits. Then
   e^x = 2^k (1 + q), where q = e^r - 1 = r + r^2 P(r), the form used by Moshier's Cephes library. The coefficients of P
   are a minimax fit of our own; the relative error of q is 1.3e-8 for float and 1.8e-17 for double. */
#if REAL_IS_FLOAT
#define LN2_HIGH 0x1.62e430p-1f /* the float nearest to ln 2, and what it lacks */
#define LN2_LOW -0x1.05c610p-29f
#define LOG2_E 0x1.715476p+0f
#define EXP_LOWEST -105 /* e^x is 0 below and infinite above */
#define EXP_HIGHEST 89
#define EXPM1_LOWEST -20 /* e^x - 1 is -1 below */
#define FRACTION_BITS 23
#define EXPONENT_BIAS 127
#define SHIFTER 0x1.8p23f /* k + SHIFTER has the integer k in its lowest bits */
#else
#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56
#define LOG2_E 0x1.71547652b82fep+0
#define EXP_LOWEST -746
#define EXP_HIGHEST 710
#define EXPM1_LOWEST -40
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023
#define SHIFTER 0x1.8p52
#endif

/* Bounds that let NaN through: a comparison with NaN is false. */
static inline real at_most_(real x, real high) { return x > high ? high : x; }
static inline real at_least_(real x, real low) { return x < low ? low : x; }

/* 2^k for an integer k in the range of normal numbers, put together from its bits. */
static inline real power_of_2_(real k) {
    real shifted = k + SHIFTER, power;
    real_bits bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (real_bits)(((uint64_t)bits + EXPONENT_BIAS) << FRACTION_BITS);
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The integer k next to x / ln 2, and *q = e^(x - k ln 2) - 1. */
static inline real reduce_(real x, real *q) {
    real k = rint_(x * (real)LOG2_E);
    real r = fma_(-k, LN2_LOW, fma_(-k, LN2_HIGH, x));
    real P;
#if REAL_IS_FLOAT
    P = fma_(1.388250696e-3f, r, 8.366521376e-3f);
    P = fma_(P, r, 4.166720007e-2f);
    P = fma_(P, r, 1.666654361e-1f);
    P = fma_(P, r, 4.999999815e-1f);
#else
    P = fma_(2.505392373966889e-8, r, 2.762604237067778e-7);
    P = fma_(P, r, 2.755740708526841668e-6);
    P = fma_(P, r, 2.480150526066010765e-5);
    P = fma_(P, r, 1.984126971950016222e-4);
    P = fma_(P, r, 1.388888893157814555e-3);
    P = fma_(P, r, 8.333333333389336219e-3);
    P = fma_(P, r, 4.166666666657670182e-2);
    P = fma_(P, r, 1.666666666666658959e-1);
    P = fma_(P, r, 5.000000000000005186e-1);
#endif
    *q = fma_(r * r, P, r);
    return k;
}

static inline real exp_(real x) {
    real q, k = reduce_(at_most_(at_least_(x, EXP_LOWEST), EXP_HIGHEST), &q);
    real half = rint_(k * (real)0.5); /* 2^k itself may be too small or too large for a normal number */
    real scale = power_of_2_(half);
    return fma_(q, scale, scale) * power_of_2_(k - half);
}

/* (e^x - 1) / 2 = 2^(k-1) q + (2^(k-1) - 1/2), whose bracket is exact wherever it counts. Halved so that k may reach
   the highest exponent. */
static inline real half_expm1_(real x) {
    real q, k = reduce_(at_least_(x, EXPM1_LOWEST), &q);
    real scale = power_of_2_(k - 1);
    return fma_(q, scale, scale - (real)0.5);
}

static inline real expm1_(real x) { return 2 * half_expm1_(at_most_(x, EXP_HIGHEST)); }

/* With H = (e^2x - 1) / 2, tanh x = H / (H + 1): no digits cancel on either side of 0, and the result is never beyond
   1, so that 1 - tanh^2 is never negative. */
static inline real tanh_(real x) {
    real H = half_expm1_(2 * at_most_(x, 20));
    return H / (H + 1);
}

/* ---- denormals -----------------------------------------------------------------------------------------------------

   Vanishing gradients end in denormal numbers, on which processors are many times slower. flush_denormals makes this
   thread treat them as zero, as operands and as results, and returns what restore_denormals needs to undo it. Does
   nothing on processors other than x86 with SSE and 64-bit ARM. */
#if defined(__SSE__)
static inline unsigned flush_denormals(void) {
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040); /* flush to zero, denormals are zero */
    return before;
}
static inline void restore_denormals(unsigned before) { __builtin_ia32_ldmxcsr(before); }
#elif defined(__aarch64__)
static inline unsigned flush_denormals(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | 1u << 24) : "memory");
    return (unsigned)before;
}
static inline void restore_denormals(unsigned before) {
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)before) : "memory");
}
#else
static inline unsigned flush_denormals(void) { return 0; }
static inline void restore_denormals(unsigned before) { (void)before; }
#endif

#include "fourier.h"

#endif

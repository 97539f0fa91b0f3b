// What printed JavaScript calls (see javascript.py); in C, runtime.h has the same.

const REAL = Number, NAN = NaN, INFINITY = Infinity;
const { tanh: tanh_, exp: exp_, expm1: expm1_, sqrt: sqrt_, abs: abs_, log: log_, log1p: log1p_, sin: sin_, cos: cos_ } = Math;

// The unitary Fourier transform of re + i im, real parts first; sign: -1 forwards, 1 for the inverse.
function fourier_(re, im, sign) {
  const n = re.length, out = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    for (let j = 0; j < n; j++) {
      const angle = (sign * 2 * Math.PI * ((j * k) % n)) / n, cos = Math.cos(angle), sin = Math.sin(angle);
      out[k] += (re[j] * cos - im[j] * sin) / Math.sqrt(n);
      out[n + k] += (re[j] * sin + im[j] * cos) / Math.sqrt(n);
    }
  }
  return out;
}

// A copy of a strided look at an array, in C order.
function strided_(array, offset, [n, ...shape], [stride, ...strides]) {
  if (n === undefined) return [array[offset]];
  return Float64Array.from(Array.from({ length: n }, (_, j) => [...strided_(array, offset + j * stride, shape, strides)]).flat());
}

// Quantising over lanes. Included inside a namespace, as raster/pixel_math.h is, which includes it.

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float quantized(typename L::Float c) {
  c = L::saturate(c);
  // Rounding is monotonic, and k − ½ and k are binary32 numbers, so the code is never too low; two
  // roundings can make it one too high.
  const typename L::Float half = L::set(0.5f);
  const typename L::Float code = L::whole(L::add(L::mul(c, L::set(255.0f)), half));
  // The code is too high if 255·c < code − ½, that is, if 256·c − (code − ½) < c. The product is
  // exact. So is the difference if its operands are within a factor of two (Sterbenz), as they are
  // whenever the code is too high; else it rounds to at least c.
  const typename L::Float excess = L::sub(L::mul(L::set(256.0f), c), L::sub(code, half));
  return L::sub(code, L::zero_unless(L::greater(c, excess), L::set(1.0f)));
}

/// quantized() with one fma, for machines that have it: the code is the sum's lowest byte. Above
/// 2²³ sums are rounded to whole numbers. Only c = ½ lies half-way between two, and goes to the
/// even 128, as required.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float quantizing_sum(typename L::Float c) {
  return L::fma(L::saturate(c), L::set(255.0f), L::set(0x1.8p23f));
}

// Quantising over lanes, included inside a namespace as raster/pixel_math.h is, and by it.

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float quantized(typename L::Float c) {
  c = L::saturate(c);
  // Rounding is monotonic and k − ½ and k are binary32 numbers, so the code is never too low here;
  // the two roundings can make it one too high.
  const typename L::Float half = L::set(0.5f);
  const typename L::Float code = L::whole(L::add(L::mul(c, L::set(255.0f)), half));
  // It is too high where 255·c < code − ½, that is 256·c − (code − ½) < c. The product is exact;
  // the difference is exact where its operands are within a factor of two (Sterbenz), which they
  // are wherever the code is too high, and otherwise rounds to no less than c.
  const typename L::Float excess = L::sub(L::mul(L::set(256.0f), c), L::sub(code, half));
  return L::sub(code, L::zero_unless(L::greater(c, excess), L::set(1.0f)));
}

/// quantized() with one fused multiply-add, for machines that have it: the code is the lowest byte
/// of the sum's bits. Above 2²³ a sum is rounded to whole numbers, and the only c whose 255·c lies
/// half-way between two is ½: it goes to the even 128, as it should.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float quantizing_sum(typename L::Float c) {
  return L::fma(L::saturate(c), L::set(255.0f), L::set(0x1.8p23f));
}

// Conversions between floats and integers, and the 16-bit floats, which are stored as their bits and computed with as
// f32.

//- mlgc_shift_left: of the bits of a, in every lane
template <class V>
MLGC_INLINE V mlgc_shift_left(V a, int places) {
  return (V)((mlgc_unsigned<V>)a << places);
}
template <class T, int N>
MLGC_INLINE mlgc_halves<T, N> mlgc_shift_left(mlgc_halves<T, N> a, int places) {
  return {mlgc_shift_left(a.lo, places), mlgc_shift_left(a.hi, places)};
}

//- mlgc_shift_right: of the bits of a, in every lane; zeros come in
template <class V>
MLGC_INLINE V mlgc_shift_right(V a, int places) {
  return (V)((mlgc_unsigned<V>)a >> places);
}
template <class T, int N>
MLGC_INLINE mlgc_halves<T, N> mlgc_shift_right(mlgc_halves<T, N> a, int places) {
  return {mlgc_shift_right(a.lo, places), mlgc_shift_right(a.hi, places)};
}

//- mlgc_to_int64: what does not fit becomes the smallest integer
template <class V>
MLGC_INLINE mlgc_like<int64_t, V> mlgc_to_int64(V v) {
  const auto wide = mlgc_convert<double>(v);
  const auto fits = (wide >= -9223372036854775808.0) & (wide < 9223372036854775808.0);
  typedef mlgc_like<double, V> D;
  typedef mlgc_like<int64_t, V> I;
  return mlgc_select(fits, mlgc_convert<int64_t>(mlgc_select(fits, wide, D{})), mlgc_splat<I>(-0x7fffffffffffffff - 1));
}

//- mlgc_to_int32: what does not fit becomes the smallest integer
template <class V>
MLGC_INLINE mlgc_like<int32_t, V> mlgc_to_int32(V v) {
  const auto wide = mlgc_convert<double>(v);
  const auto fits = (wide > -2147483649.0) & (wide < 2147483648.0);
  typedef mlgc_like<double, V> D;
  typedef mlgc_like<int32_t, V> I;
  return mlgc_select(fits, mlgc_convert<int32_t>(mlgc_select(fits, wide, D{})), mlgc_splat<I>(-0x7fffffff - 1));
}

//- mlgc_from_bfloat
template <class V>
MLGC_INLINE mlgc_like<float, V> mlgc_from_bfloat(V h) {
  return mlgc_floats(mlgc_shift_left(mlgc_convert<int32_t>(h), 16));
}

//- mlgc_to_bfloat: to nearest, ties to even; NaN stays NaN
template <class V>
MLGC_INLINE mlgc_like<uint16_t, V> mlgc_to_bfloat(V v) {
  const auto bits = mlgc_bits(v);
  const auto high = mlgc_shift_right(bits, 16) & 0xffff;
  const auto rounded = mlgc_shift_right(mlgc_add(bits, (high & 1) + 0x7fff), 16) & 0xffff;
  return mlgc_convert<uint16_t>(mlgc_select(v != v, high | 0x40, rounded));
}

//- mlgc_bits_of_bfloat: of a number that is a bfloat
template <class V>
MLGC_INLINE mlgc_like<uint16_t, V> mlgc_bits_of_bfloat(V v) {
  return mlgc_convert<uint16_t>(mlgc_shift_right(mlgc_bits(v), 16));
}

//- mlgc_from_half
template <class V>
MLGC_INLINE mlgc_like<float, V> mlgc_from_half(V h) {
  typedef mlgc_like<float, V> F;
  const auto bits = mlgc_convert<int32_t>(h);
  const auto sign = mlgc_shift_left(bits & 0x8000, 16), exponent = bits & 0x7c00;
  const auto magnitude = mlgc_shift_left(bits & 0x7fff, 13);
  // Subnormals are multiples of 2^-24; the exponent of infinities and NaN is the largest there too.
  const F normal = mlgc_floats(magnitude + mlgc_select(exponent == 0x7c00, mlgc_like<int32_t, V>{} + 0x70000000,
                                                       mlgc_like<int32_t, V>{} + 0x38000000));
  const F small = mlgc_convert<float>(bits & 0x3ff) * 5.9604644775390625e-8f;
  return mlgc_floats(mlgc_bits(mlgc_select(exponent == 0, small, normal)) | sign);
}

//- mlgc_to_half: to nearest, ties to even; NaN becomes the quiet one
template <class V>
MLGC_INLINE mlgc_like<uint16_t, V> mlgc_to_half(V v) {
  typedef mlgc_like<int32_t, V> I;
  const auto bits = mlgc_bits(v), magnitude = bits & 0x7fffffff, sign = mlgc_shift_right(bits, 16) & 0x8000;
  const V a = mlgc_floats(magnitude);
  const I small = mlgc_bits(a * 16777216.0f + 8388608.0f) - 0x4b000000;
  const I normal =
      mlgc_shift_right(mlgc_add(magnitude, (mlgc_shift_right(magnitude, 13) & 1) + 0xfff), 13) - (112 << 10);
  I result = mlgc_select(a < 6.103515625e-5f, small, normal);
  result = mlgc_select(a >= 65520.0f, I{} + 0x7c00, result);
  return mlgc_convert<uint16_t>(mlgc_select(a != a, I{} + 0x7e00, result) | sign);
}

// Polynomials and numbers of formula/special_functions.h, for any type with the arithmetic of one. They are text of the
// preludes of emitted C++ and CUDA too, cut at `//-`; whoever includes or embeds this defines MLGC_INLINE.

//- mlgc_erfinv_start_near: as ATen has it, for |y| up to 0.7
template <class V>
MLGC_INLINE V mlgc_erfinv_start_near(V y) {
  const V z = y * y;
  const V above = ((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899;
  const V below = (((0.012229801 * z - 0.329097515) * z + 1.442710462) * z - 2.118377725) * z + 1.0;
  return y * above / below;
}

//- mlgc_erfinv_start_far: as ATen has it beyond, for z = sqrt(-log((1 - |y|)/2))
template <class V>
MLGC_INLINE V mlgc_erfinv_start_far(V z) {
  const V above = ((1.641345311 * z + 3.429567803) * z - 1.624906493) * z - 1.970840454;
  return above / ((1.637067800 * z + 3.543889200) * z + 1.0);
}

//- mlgc_digamma_series: log(x) - 0.5/x - digamma(x) for x from 10 on, by z = 1/x^2
template <class V>
MLGC_INLINE V mlgc_digamma_series(V z) {
  V series = 8.33333333333333333333e-2 * z - 2.10927960927960927961e-2;
  series = series * z + 7.57575757575757575758e-3;
  series = series * z - 4.16666666666666666667e-3;
  series = series * z + 3.96825396825396825397e-3;
  series = series * z - 8.33333333333333333333e-3;
  series = series * z + 8.33333333333333333333e-2;
  return series * z;
}

//- mlgc_bernoulli_quotient: (2k)!/B(2k) for k = i + 1, up to 12
MLGC_INLINE double mlgc_bernoulli_quotient(int i) {
  const double quotients[12] = {12.0,
                                -720.0,
                                30240.0,
                                -1209600.0,
                                47900160.0,
                                -1.8924375803183791606e9,
                                7.47242496e10,
                                -2.950130727918164224e12,
                                1.1646782814350067249e14,
                                -4.5979787224074726105e15,
                                1.8152105401943546773e17,
                                -7.1661652561756670113e18};
  return quotients[i];
}

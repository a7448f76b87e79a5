"""Special functions as arithmetic: what PyTorch has kernels for and mlgc no operators.

Near 0 and far from it they are quotients of polynomials or Chebyshev series, those of the Cephes library (S. L. Moshier), which
PyTorch's CPU kernels use too (ATen/native/Math.h). All is computed in f64, so what is narrower is as exact as its type.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

aten = torch.ops.aten

# Coefficients, of the highest power first.

_I0_NEAR = (-4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
            -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11,
            9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09, -1.300025009986248e-08, 6.046995022541919e-08,
            -2.670793853940612e-07, 1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05,
            -5.754195010082104e-05, 0.00018850288509584165, -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576,
            0.010546460394594998, -0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877,
            -0.3046826723431984, 0.6767952744094761)
_I0_FAR = (-7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17, -2.8276239805165836e-16,
           -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15, -4.150569347287222e-14,
           1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11,
           -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
           2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943, 0.8044904110141088)
_I1_NEAR = (2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16, -1.1055969477353862e-15,
            7.600684294735408e-15, -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12, 1.1736186298890901e-11,
            -6.663489723502027e-11, 3.625590281552117e-10, -1.8872497517228294e-09, 9.381537386495773e-09, -4.445059128796328e-08,
            2.0032947535521353e-07, -8.568720264695455e-07, 3.4702513081376785e-06, -1.3273163656039436e-05,
            4.781565107550054e-05, -0.00016176081582589674, 0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888,
            -0.010564084894626197, 0.024726449030626516, -0.05294598120809499, 0.1026436586898471, -0.17641651835783406,
            0.25258718644363365)
_I1_FAR = (7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17, 2.96262899764595e-16,
           3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14,
           4.272440016711951e-14, -2.1015418427726643e-14, -4.0835511110921974e-13, -7.198551776245908e-13,
           2.0356285441470896e-12, 1.4125807436613782e-11, 3.2526035830154884e-11, -1.8974958123505413e-11,
           -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08, -2.512236237870209e-07,
           -3.882564808877691e-06, -0.00011058893876262371, -0.009761097491361469, 0.7785762350182801)
_J0_PP = (0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817, 5.303240382353949,
          1.0)
_J0_PQ = (0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695, 5.306052882353947,
          1.0)
_J0_QP = (-0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683, -177.68116798048806,
          -147.07750515495118, -51.41053267665993, -6.050143506007285)
_J0_QQ = (64.3178256118178, 856.4300259769806, 3882.4018360540163, 7240.467741956525, 5930.727011873169, 2062.0933166032783,
          242.0057402402914)
_J0_RP = (-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0)
_J0_RQ = (499.563147152651, 173785.4016763747, 48440965.83399621, 11185553704.535683, 2112775201154.892, 310518229857422.56,
          3.1812195594320496e+16, 1.7108629408104315e+18)
_J1_PP = (0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724, 5.214515986823615,
          1.0)
_J1_PQ = (0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042, 5.209828486823619,
          1.0)
_J1_QP = (0.05108625947501766, 4.982138729512334, 75.82382841325453, 366.7796093601508, 710.8563049989261, 597.4896124006136,
          211.68875710057213, 25.207020585802372)
_J1_QQ = (74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562, 7997.041604473507, 2826.1927851763908,
          336.0936078106983)
_J1_RP = (-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0)
_J1_RQ = (620.8364781180543, 256987.25675774884, 83514679.14319493, 22151159547.97925, 4749141220799.914, 784369607876235.9,
          8.952223361846274e+16, 5.322786203326801e+18)
_Y0_YP = (15592.436785523574, -14663929.59039716, 5435264770.518765, -982136065717.9115, 87590639439536.7, -3466283033847297.0,
          4.4273326857256984e+16, -1.8495080043698668e+16)
_Y0_YQ = (1041.2835366425984, 626107.330137135, 268919633.39381415, 86400248710.3935, 20297961275010.555, 3171577528429750.5,
          2.5059625617265306e+17)
_Y1_YP = (1263204747.9017804, -647355876379.1603, 114509511541823.73, -8127702555013251.0, 2.024394757135949e+17,
          -7.788771962659501e+17)
_Y1_YQ = (594.3015923461282, 235564.09294306856, 73481194.44597217, 18760131610.870617, 3882312774962.3857, 620557727146953.8,
          6.871410873553005e+16, 3.9727060811656064e+18)
_K0_NEAR = (1.374465435613523e-16, 4.25981614279661e-14, 1.0349695257633842e-11, 1.904516377220209e-09, 2.5347910790261494e-07,
            2.286212103119452e-05, 0.001264615411446926, 0.0359799365153615, 0.3442898999246285, -0.5353273932339028)
_K0_FAR = (5.300433772686263e-18, -1.6475804301524212e-17, 5.2103915050390274e-17, -1.678231096805412e-16, 5.512055978524319e-16,
           -1.848593377343779e-15, 6.3400764774050706e-15, -2.2275133269916698e-14, 8.032890775363575e-14,
           -2.9800969231727303e-13, 1.140340588208475e-12, -4.514597883373944e-12, 1.8559491149547177e-11, -7.957489244477107e-11,
           3.577397281400301e-10, -1.69753450938906e-09, 8.574034017414225e-09, -4.660489897687948e-08, 2.766813639445015e-07,
           -1.8317555227191195e-06, 1.39498137188765e-05, -0.00012849549581627802, 0.0015698838857300533, -0.0314481013119645,
           2.4403030820659555)
_K1_NEAR = (-7.023863479386288e-18, -2.427449850519366e-15, -6.666901694199329e-13, -1.4114883926335278e-10,
            -2.213387630734726e-08, -2.4334061415659684e-06, -0.0001730288957513052, -0.006975723859639864, -0.12261118082265715,
            -0.3531559607765449, 1.5253002273389478)
_K1_FAR = (-5.756744483665017e-18, 1.7940508731475592e-17, -5.689462558442859e-17, 1.838093544366639e-16, -6.057047248373319e-16,
           2.038703165624334e-15, -7.019837090418314e-15, 2.4771544244813043e-14, -8.976705182324994e-14, 3.3484196660784293e-13,
           -1.2891739609510289e-12, 5.13963967348173e-12, -2.1299678384275683e-11, 9.218315187605006e-11, -4.1903547593418965e-10,
           2.015049755197033e-09, -1.0345762465678097e-08, 5.7410841254500495e-08, -3.5019606030878126e-07, 2.406484947837217e-06,
           -1.936197974166083e-05, 0.00019521551847135162, -0.002857816859622779, 0.10392373657681724, 2.7206261904844427)
_AIRY_AN = (0.346538101525629, 12.007595273964581, 76.27960536152345, 168.08922493463058, 159.75639135016442, 70.53609068404442,
            14.026469116338967, 1.0)
_AIRY_AD = (0.5675945326387702, 14.75625625848472, 84.51389701414746, 177.31808814540045, 164.2346928715297, 71.47784008255756,
            14.095913560783403, 1.0)
_AIRY_AFN = (-0.1316963234183318, -0.6264565444319123, -0.6931580360369335, -0.2797799815451191, -0.04919001326095003,
             -0.004062659235948854, -0.0001592764962392621, -2.776491081552329e-06, -1.6778769848911465e-08)
_AIRY_AFD = (13.356042070655324, 32.682503279522464, 26.736704094149957, 9.187074029072596, 1.4752914677166642,
             0.11568717379518804, 0.004402916416152112, 7.547203482874142e-05, 4.5185009297058035e-07)
_AIRY_AGN = (0.01973399320916857, 0.39110302961568827, 1.0657989759959559, 0.9391692298166502, 0.35146565610554764,
             0.06338889196289255, 0.005858041130483885, 0.000282851600836737, 6.98793669997261e-06, 8.117892395543892e-08,
             3.415517847659236e-10)
_AIRY_AGD = (9.30892908077442, 19.835292871831214, 15.564662893286462, 5.476860694229755, 0.9542936116189619, 0.08645808263523921,
             0.004126565238242226, 0.00010125908511650914, 1.1716673321441352e-06, 4.9183457006293e-09)
_NDTRI_P0 = (-59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968, -1.2391658386738125)
_NDTRI_Q0 = (1.0, 1.9544885833814176, 4.676279128988815, 86.36024213908905, -225.46268785411937, 200.26021238006066,
             -82.03722561683334, 15.90562251262117, -1.1833162112133)
_NDTRI_P1 = (4.0554489230596245, 31.525109459989388, 57.16281922464213, 44.08050738932008, 14.684956192885803, 2.1866330685079025,
             -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854)
_NDTRI_Q1 = (1.0, 15.779988325646675, 45.39076351288792, 41.3172038254672, 15.04253856929075, 2.504649462083094,
             -0.14218292285478779, -0.03808064076915783, -0.0009332594808954574)
_NDTRI_P2 = (3.2377489177694603, 6.915228890689842, 3.9388102529247444, 1.3330346081580755, 0.20148538954917908,
             0.012371663481782003, 0.00030158155350823543, 2.6580697468673755e-06, 6.239745391849833e-09)
_NDTRI_Q2 = (1.0, 6.02427039364742, 3.6798356385616087, 1.3770209948908132, 0.21623699359449663, 0.013420400608854318,
             0.00032801446468212774, 2.8924786474538068e-06, 6.790194080099813e-09)


def _polynomial(x: torch.Tensor, coefficients: Sequence[float]) -> torch.Tensor:
    value = torch.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value


def _series(x: torch.Tensor, coefficients: Sequence[float]) -> torch.Tensor:
    """A Chebyshev series at x / 2, by Clenshaw's recurrence."""
    before, last, value = torch.zeros_like(x), torch.zeros_like(x), torch.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        before, last = last, value
        value = x * last - before + coefficient
    return 0.5 * (value - before)


def _i0e(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    return torch.where(size <= 8, _series(size / 2 - 2, _I0_NEAR), _series(32 / size - 2, _I0_FAR) / size.sqrt())


def _i1e(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    value = torch.where(size <= 8, _series(size / 2 - 2, _I1_NEAR) * size, _series(32 / size - 2, _I1_FAR) / size.sqrt())
    return torch.where(x < 0, -value, value)


def _i0(x: torch.Tensor) -> torch.Tensor:
    return x.abs().exp() * _i0e(x)


def _i1(x: torch.Tensor) -> torch.Tensor:
    return x.abs().exp() * _i1e(x)


def _far_bessel(x: torch.Tensor, tables: Sequence[Sequence[float]], phase: float, second: bool) -> torch.Tensor:
    """Of order 0 or 1 from 5 on, of the first or the second kind: a phase and an amplitude."""
    near = 25 / (x * x)
    p = _polynomial(near, tables[0]) / _polynomial(near, tables[1])
    q = 5 / x * (_polynomial(near, tables[2]) / _polynomial(near, tables[3]))
    sine, cosine = (x - phase).sin(), (x - phase).cos()
    return (p * sine + q * cosine if second else p * cosine - q * sine) * math.sqrt(2 / math.pi) / x.sqrt()


_FAR_0, _FAR_1 = (_J0_PP, _J0_PQ, _J0_QP, _J0_QQ), (_J1_PP, _J1_PQ, _J1_QP, _J1_QQ)


def _j0(x: torch.Tensor) -> torch.Tensor:
    x = x.abs()
    square = x * x
    near = (square - 5.78318596294678452118) * (square - 30.4712623436620863991) * _polynomial(square, _J0_RP) / _polynomial(square, _J0_RQ)
    return torch.where(x <= 5, torch.where(x < 1e-5, 1 - square / 4, near), _far_bessel(x, _FAR_0, math.pi / 4, False))


def _j1(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    square = size * size
    near = _polynomial(square, _J1_RP) / _polynomial(square, _J1_RQ) * size
    near = near * (square - 14.6819706421238932572) * (square - 49.2184563216946036703)
    value = torch.where(size <= 5, near, _far_bessel(size, _FAR_1, 3 * math.pi / 4, False))
    return torch.where(x < 0, -value, value)


def _y0(x: torch.Tensor) -> torch.Tensor:
    square = x * x
    near = _polynomial(square, _Y0_YP) / _polynomial(square, _Y0_YQ) + 2 / math.pi * x.log() * _j0(x)
    near = torch.where(x == 0, -math.inf, torch.where(x < 0, math.nan, near))
    return torch.where(x <= 5, near, _far_bessel(x, _FAR_0, math.pi / 4, True))


def _y1(x: torch.Tensor) -> torch.Tensor:
    square = x * x
    near = x * (_polynomial(square, _Y1_YP) / _polynomial(square, _Y1_YQ)) + 2 / math.pi * (_j1(x) * x.log() - 1 / x)
    near = torch.where(x == 0, -math.inf, torch.where(x < 0, math.nan, near))
    return torch.where(x <= 5, near, _far_bessel(x, _FAR_1, 3 * math.pi / 4, True))


def _scaled_k0(x: torch.Tensor) -> torch.Tensor:
    near = (_series(x * x - 2, _K0_NEAR) - (0.5 * x).log() * _i0(x)) * x.exp()
    value = torch.where(x <= 2, near, _series(8 / x - 2, _K0_FAR) / x.sqrt())
    return torch.where(x == 0, math.inf, torch.where(x < 0, math.nan, value))


def _scaled_k1(x: torch.Tensor) -> torch.Tensor:
    near = ((0.5 * x).log() * _i1(x) + _series(x * x - 2, _K1_NEAR) / x) * x.exp()
    value = torch.where(x <= 2, near, _series(8 / x - 2, _K1_FAR) / x.sqrt())
    return torch.where(x == 0, math.inf, torch.where(x < 0, math.nan, value))


def _k0(x: torch.Tensor) -> torch.Tensor:
    return _scaled_k0(x) * (-x).exp()


def _k1(x: torch.Tensor) -> torch.Tensor:
    return _scaled_k1(x) * (-x).exp()


def _spherical_j0(x: torch.Tensor) -> torch.Tensor:
    near = _polynomial(x * x, [(-1) ** k / math.factorial(2 * k + 1) for k in range(6, -1, -1)])
    return torch.where(x.isinf(), 0.0, torch.where(x.abs() < 0.5, near, x.sin() / x))


def _airy_ai(x: torch.Tensor) -> torch.Tensor:
    root = x.abs().sqrt()
    zeta = 2 * x.abs() * root / 3
    z = 1 / zeta
    scale = 1 / math.sqrt(math.pi)
    above = scale * (_polynomial(z, _AIRY_AN) / _polynomial(z, _AIRY_AD)) / (2 * root.sqrt() * zeta.exp())
    f = 1 + z * z * _polynomial(z * z, _AIRY_AFN) / _polynomial(z * z, _AIRY_AFD)
    g = z * _polynomial(z * z, _AIRY_AGN) / _polynomial(z * z, _AIRY_AGD)
    below = scale / root.sqrt() * ((zeta + math.pi / 4).sin() * f - (zeta + math.pi / 4).cos() * g)
    # Between: Maclaurin's series of two solutions; where |x| is at most 2.09, what comes after 18 terms is below 1e-17.
    cube = x * x * x
    even, odd = [1.0], [1.0]
    for k in range(1, 19):
        even.append(even[-1] / ((3 * k - 1) * (3 * k)))
        odd.append(odd[-1] / ((3 * k) * (3 * k + 1)))
    between = 0.355028053887817239260 * _polynomial(cube, even[::-1]) - 0.258819403792806798405 * x * _polynomial(cube, odd[::-1])
    value = torch.where(x < -2.09, below, torch.where(x >= 2.09, above, between))
    return torch.where(x.isinf(), math.nan, torch.where(x > 103.892, 0.0, value))


def _ndtri(y: torch.Tensor) -> torch.Tensor:
    """The argument at which the normal distribution function is y."""
    tail = math.exp(-2)
    upper = y > 1 - tail
    p = torch.where(upper, 1 - y, y)
    centre = p - 0.5
    square = centre * centre
    middle = (centre + centre * (square * _polynomial(square, _NDTRI_P0) / _polynomial(square, _NDTRI_Q0))) * math.sqrt(2 * math.pi)
    x = (-2 * p.log()).sqrt()
    z = 1 / x
    correction = torch.where(x < 8, z * _polynomial(z, _NDTRI_P1) / _polynomial(z, _NDTRI_Q1),
                             z * _polynomial(z, _NDTRI_P2) / _polynomial(z, _NDTRI_Q2))
    outer = x - x.log() / x - correction
    value = torch.where(p > tail, middle, torch.where(upper, outer, -outer))
    value = torch.where((y < 0) | (y > 1), math.nan, value)
    return torch.where(y == 0, -math.inf, torch.where(y == 1, math.inf, value))


def _erfcx(x: torch.Tensor) -> torch.Tensor:
    """exp(x*x) * erfc(x): so up to 12, where both are normal numbers, and by a continued fraction from there."""
    fraction = x
    for k in range(12, 0, -1):
        fraction = x + 0.5 * k / fraction
    return torch.where(x < 12, (x * x).exp() * torch.erfc(x), 1 / math.sqrt(math.pi) / fraction)


_OF_ONE: dict[Any, Callable[[torch.Tensor], torch.Tensor]] = {
    aten.i0.default: _i0, aten.special_i0e.default: _i0e, aten.special_i1.default: _i1, aten.special_i1e.default: _i1e,
    aten.special_bessel_j0.default: _j0, aten.special_bessel_j1.default: _j1, aten.special_bessel_y0.default: _y0,
    aten.special_bessel_y1.default: _y1, aten.special_modified_bessel_i0.default: _i0, aten.special_modified_bessel_i1.default: _i1,
    aten.special_modified_bessel_k0.default: _k0, aten.special_modified_bessel_k1.default: _k1,
    aten.special_scaled_modified_bessel_k0.default: _scaled_k0, aten.special_scaled_modified_bessel_k1.default: _scaled_k1,
    aten.special_spherical_bessel_j0.default: _spherical_j0, aten.special_airy_ai.default: _airy_ai, aten.special_ndtri.default: _ndtri,
    aten.special_erfcx.default: _erfcx}
# As exact as f32, and not as f64.
_NARROW = {aten.special_erfcx.default}


# --- Chebyshev polynomials, whose degree is an operand: by their recurrence up to _RECURRED, in closed form above


def _signs(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    """(-1)^n where x is negative, else 1."""
    return torch.where((x < 0) & (n.remainder(2) == 1), -1.0, 1.0)


def _chebyshev_t(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outside = _signs(x, n) * (n * x.abs().clamp(min=1).acosh()).cosh()
    return torch.where(x.abs() <= 1, (n * x.clamp(-1, 1).acos()).cos(), outside)


def _chebyshev_u(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    angle, size = x.clamp(-1, 1).acos(), x.abs().clamp(min=1).acosh()
    outside = _signs(x, n) * ((n + 1) * size).sinh() / size.sinh()
    value = torch.where(x.abs() < 1, ((n + 1) * angle).sin() / angle.sin(), outside)
    return torch.where(x.abs() == 1, _signs(x, n) * (n + 1), value)


def _chebyshev_v(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    angle, size = x.clamp(-1, 1).acos(), x.abs().clamp(min=1).acosh()
    above = ((n + 0.5) * size).cosh() / (size / 2).cosh()
    below = _signs(x, n) * ((n + 0.5) * size).sinh() / (size / 2).sinh()
    value = torch.where(x.abs() < 1, ((n + 0.5) * angle).cos() / (angle / 2).cos(), torch.where(x > 0, above, below))
    return torch.where(x == -1, _signs(x, n) * (2 * n + 1), value)


def _chebyshev_w(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return torch.where(n.remainder(2) == 1, -1.0, 1.0) * _chebyshev_v(-x, n)


_RECURRED = 8
# The closed form, and the polynomial of degree 1 as slope and constant.
_POLYNOMIALS: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor], torch.Tensor], int, int]] = {
    "t": (_chebyshev_t, 1, 0), "u": (_chebyshev_u, 2, 0), "v": (_chebyshev_v, 2, -1), "w": (_chebyshev_w, 2, 1)}


def _chebyshev(kind: str, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    closed, slope, constant = _POLYNOMIALS[kind]
    before, last = torch.ones_like(x), slope * x + constant
    value = torch.where(n == 0, before, last)
    for degree in range(2, _RECURRED + 1):
        before, last = last, 2 * x * last - before
        value = torch.where(n == degree, last, value)
    return torch.where(n < 0, 0.0, torch.where(n > _RECURRED, closed(x, n), value))


# --- floats and what they are made of


def _scaled(size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Positive numbers of f64 as (m, e, 2**e) with size == m * 2**e and m from 1 to 2, exactly; e is of f64."""
    exponent, power = torch.zeros_like(size), torch.ones_like(size)
    for step in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
        large, small = size >= 2.0**step, size < 2.0**(1 - step)
        size = torch.where(large, size * 2.0**-step, torch.where(small, size * 2.0**step, size))
        exponent = torch.where(large, exponent + step, torch.where(small, exponent - step, exponent))
        power = torch.where(large, power * 2.0**step, torch.where(small, power * 2.0**-step, power))
    return size, exponent, power


def _frexp(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    if x.dtype == torch.float64:  # its subnormal numbers need another step
        return NotImplemented  # type: ignore[no-any-return]
    wide = x.double()
    special = (wide == 0) | ~wide.isfinite()
    size, exponent, _ = _scaled(torch.where(special, 1.0, wide.abs()))
    mantissa = torch.where(special, wide, torch.where(wide < 0, -0.5, 0.5) * size)
    return mantissa.to(x.dtype), torch.where(special, 0.0, exponent + 1).to(torch.int32)


def _nextafter(x: torch.Tensor, towards: torch.Tensor) -> torch.Tensor:
    """A step in f64, which holds all numbers of f32, f16 and bf16."""
    if x.dtype == torch.float64:
        return NotImplemented  # type: ignore[no-any-return]
    limits = torch.finfo(x.dtype)
    a, b = torch.broadcast_tensors(x.double(), towards.double())
    size, _, power = _scaled(torch.where(a.isfinite(), a.abs().clamp(min=limits.smallest_normal), 1.0))
    # Below a power of two numbers lie twice as close, but not below the smallest normal one.
    closer = (size == 1) & (power > limits.smallest_normal) & torch.where(a > 0, b < a, b > a)
    step = limits.eps * power * torch.where(closer, 0.5, 1.0)
    value = torch.where(b > a, a + step, torch.where(b < a, a - step, b))
    value = torch.where((a < 0) & (value == 0), -0.0, value)
    value = torch.where(a.isinf() & (a != b), a.clamp(-limits.max, limits.max), value)
    return torch.where(a.isnan() | b.isnan(), math.nan, value).to(x.dtype)


# --- as a table


def _float_of(x: torch.Tensor) -> torch.dtype:
    return x.dtype if x.dtype.is_floating_point else torch.get_default_dtype()


def _of_one(compute: Callable[[torch.Tensor], torch.Tensor], narrow: bool) -> Callable[[torch.Tensor], torch.Tensor]:
    def decomposition(x: torch.Tensor) -> torch.Tensor:
        return NotImplemented if narrow and _float_of(x) == torch.float64 else compute(x.double()).to(_float_of(x))

    return decomposition


def _polynomial_of(kind: str, shifted: bool) -> Callable[..., torch.Tensor]:
    def decomposition(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        result = torch.promote_types(_float_of(x), _float_of(n))
        if result == torch.float64:
            return NotImplemented  # type: ignore[no-any-return]
        return _chebyshev(kind, 2 * x.double() - 1 if shifted else x.double(), n.to(torch.int64).double()).to(result)

    return decomposition


def decompositions() -> dict[Any, Callable[..., Any]]:
    """By overload. Each gives NotImplemented where it would be less exact than the type."""
    table: dict[Any, Callable[..., Any]] = {overload: _of_one(compute, overload in _NARROW) for overload, compute in _OF_ONE.items()}
    for kind in _POLYNOMIALS:
        table[getattr(aten, f"special_chebyshev_polynomial_{kind}").default] = _polynomial_of(kind, False)
        table[getattr(aten, f"special_shifted_chebyshev_polynomial_{kind}").default] = _polynomial_of(kind, True)
    return table | {aten.frexp.Tensor: _frexp, aten.nextafter.default: _nextafter}

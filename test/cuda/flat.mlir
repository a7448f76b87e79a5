// Elements in rows that begin anywhere, or are short: one loop over what is stored, in pieces of 16 bytes, that finds positions by quotients
// of 32 bits. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @flat {
  func @padded(%x: tensor<5x4x7x33xf32>) -> tensor<5x4x9x37xf32> {
    %0 = pad %x {pad = [3, 1, 0, 2], value = 1.5}
    return %0
  }
  func @padded_halves(%x: tensor<3x11x130xbf16>) -> tensor<3x14x133xbf16> {
    %0 = pad %x {pad = [1, 2, 2, 1], value = -0.5}
    %1 = relu %0
    return %1
  }
  func @replicated(%x: tensor<6x5x69xbf16>) -> tensor<6x5x74xbf16> {
    %0 = pad %x {pad = [2, 3], mode = "replicate"}
    return %0
  }
  func @reflected(%x: tensor<4x7x11xf16>) -> tensor<4x12x12xf16> {
    %0 = pad %x {pad = [0, 1, 2, 3], mode = "reflect"}
    return %0
  }
  func @rolled(%x: tensor<13x45xf16>) -> tensor<13x45xf16> {
    %0 = roll %x {shifts = [-17, 4], dims = [1, 0]}
    return %0
  }
  func @flipped(%x: tensor<3x5x9x7xf32>) -> tensor<3x5x9x7xf32> {
    %0 = flip %x {dims = [0, 1, 2, 3]}
    return %0
  }
  func @joined(%x: tensor<40x29xf32>, %z: tensor<40x12xf32>) -> tensor<40x41xf32> {
    %0 = cat %x, %z {dim = 1}
    return %0
  }
  func @stacked(%x: tensor<9x13xf32>, %z: tensor<9x13xf32>) -> tensor<9x13x2xf32> {
    %0 = stack %x, %z {dim = 2}
    return %0
  }
  func @part(%x: tensor<50x103xbf16>) -> tensor<50x95xbf16> {
    %0 = slice %x {dim = 1, start = 5, end = 100}
    return %0
  }
  func @steps(%x: tensor<21x103xi32>) -> tensor<21x35xi32> {
    %0 = slice %x {dim = 1, start = 0, end = 103, step = 3}
    return %0
  }
  func @repeated(%x: tensor<21x53xi8>) -> tensor<21x106xi8> {
    %0 = repeat_interleave %x {dim = 1, repeats = 2}
    return %0
  }
  func @broadcast(%x: tensor<8x6x51xf32>, %row: tensor<51xf32>, %column: tensor<6x1xf32>) -> tensor<8x6x51xf32> {
    %0 = add %x, %row
    %1 = mul %0, %column
    return %1
  }
  func @windows(%x: tensor<3x64xf32>) -> tensor<3x30x6xf32> {
    %0 = unfold %x {dimension = 1, size = 6, step = 2}
    return %0
  }
}
// CHECK: padded_0_pad_kernel1(
// CHECK: const int32_t d0_d1_d2_d3_first = static_cast<int32_t>(1024 * d0_d1_d2_d3_o + threadIdx.x * 4);
// CHECK: mlgc_piece<float, 4> y_flat_piece;
// CHECK: const float v1 = x[mlgc_place_if(v0, {{.*}}static_cast<int32_t>(d0_d1_d2_d3 / 333u)
// CHECK: const float v3 = v0 ? v1 : v2;
// CHECK: mlgc_write_piece<kAligned>(y, d0_d1_d2_d3_first, y_flat_piece);
// CHECK: padded_halves_0_pad_relu_kernel1(
// CHECK: mlgc_piece<uint16_t, 8>
// CHECK: joined_0_cat_kernel1(
// CHECK: x[mlgc_place_if(v0, {{.*}}static_cast<int32_t>(d0_o / 41u)
// CHECK: x_2[mlgc_place_if(!v0, {{.*}}static_cast<int32_t>(d0_o / 41u)

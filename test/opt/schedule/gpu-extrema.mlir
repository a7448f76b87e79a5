// Positions of extrema on a GPU. Everything goes in parts of a block each, the last of which begins in the one before.
// Their results are compared by one block, and the position of the first part with the best one is loaded.
// RUN: mlgc opt %s -O2 --to=gpu-loops | FileCheck %s
// CHECK: func @all.0.argmax({{.*}}) {
// CHECK: for [0, 6] ([[PART:%.*]]: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK: [[BEST:%.*]] = for [min(16904, 4096*[[PART]]), min(16904, 4096*[[PART]]) + 4096] ({{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 512, per_lane = 4, schedule.strategy = "threads-over-row"} {
// CHECK: [[LEAST:%.*]] = for [min(16904, 4096*[[PART]]), min(16904, 4096*[[PART]]) + 4096] ({{.*}}) attributes {combine = ["min"], kind = "vector", lanes = 512, per_lane = 4, schedule.strategy = "threads-over-row"} {
// CHECK: store [[BEST]], %extrema[[[PART]]]
// CHECK-NEXT: store {{%.*}}, %positions[[[PART]]]
// CHECK: {{%.*}}, [[NUMBER:%.*]] = for [0, 6] ({{.*}}) attributes {{.*}} {
// CHECK: {{%.*}} = guard [[[NUMBER]], -[[NUMBER]] + 5] : i1
// CHECK: {{%.*}} = load %positions[[[NUMBER]]] : i32
//
// Of a permuted tensor the extremum is searched in the order of memory, and then the least position.
// CHECK: func @permuted.0.permute_argmax({{.*}}) {
// CHECK: {{%.*}} = for [0, 24000] ({{.*}}) attributes {combine = ["max"], kind = "vector", {{.*}}} {
// CHECK: {{%.*}} = for [0, 40] ([[COLUMN:%.*]]: index, {{.*}}) attributes {combine = ["min"], kind = "vector", lanes = 64, schedule.strategy = "threads-over-inner-row"} {
// CHECK: {{%.*}} = apply [{{%.*}} + 600*[[COLUMN]]] : i64
//
// Few columns are divided, and a thread carries extremum and position.
// CHECK: func @columns.0.max_dim({{.*}}) {
// CHECK: for [0, 4] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: {{%.*}}, {{%.*}} = for [75*[[ROWS:%.*]], 75*[[ROWS]] + 75] ({{.*}}) {
//
// A softmax whose results are wanted too: the position has loops of its own, by the threads that have the elements in registers.
// CHECK: func @of_softmax.0.softmax_argmax({{.*}}) {
// CHECK: store {{%.*}}, %y[{{.*}}]
// CHECK: {{%.*}} = for [0, 700] ({{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 32, per_lane = 4, {{.*}}} {
// CHECK: {{%.*}} = for [0, 700] ({{.*}}) attributes {combine = ["min"], kind = "vector", lanes = 32, per_lane = 4, {{.*}}} {
//
// Two reductions of the same elements are one loop, which reads them once.
// CHECK: func @both.0.amin_amax({{.*}}) {
// CHECK: {{%.*}}, {{%.*}} = for {{.*}} attributes {combine = ["min", "max"], {{.*}}} {
// CHECK-NEXT: [[V:%.*]] = load %x_flat[{{.*}}] : f32
// CHECK-NEXT: {{%.*}} = minimum [[V]], {{%.*}} : f32
// CHECK-NEXT: {{%.*}} = maximum [[V]], {{%.*}} : f32

func @all(%x: tensor<210x100xf32>) -> tensor<i64> {
  %n = argmax %x {dim = [0, 1]}
  return %n
}
func @permuted(%x: tensor<30x20x40xf32>) -> tensor<i64> {
  %t = permute %x {dims = [2, 0, 1]}
  %n = argmax %t {dim = [0, 1, 2]}
  return %n
}
func @columns(%x: tensor<300x[N]xf32>) -> (tensor<[N]xf32>, tensor<[N]xi64>) {
  %v, %n = max_dim %x {dim = 0}
  return %v, %n
}
func @of_softmax(%x: tensor<[N]x700xf32>) -> (tensor<[N]x700xf32>, tensor<[N]xi64>) {
  %s = softmax %x {dim = 1}
  %n = argmax %s {dim = [1]}
  return %s, %n
}
func @both(%x: tensor<[N]x4096xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = amin %x {dim = [0, 1]}
  %b = amax %x {dim = [0, 1]}
  return %a, %b
}

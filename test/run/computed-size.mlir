// A compiled model whose results have sizes that the call computes: listed, run, limited, and called by ctypes.
// RUN: mlgc compile %s -O2 --vector-bytes=16 -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --list | FileCheck %s --check-prefix=LIST
// LIST: func @positive(%x: tensor<[B]x2xf32>) -> (y: tensor<[hits]xf32>) where hits <= 2*B
// RUN: mlgc run %t.mlgcx --input=x=3x2xf32=1,-2,3,4,0,-6 --memory --threads=2 2>&1 | FileCheck %s
// CHECK-DAG: mlgc: temporaries: {{[0-9]+}} bytes planned, {{[0-9]+}} bytes touched; {{.*}}, outputs 12 bytes
// CHECK-DAG: y: 3xf32
// CHECK-DAG: [1.0, 3.0, 4.0]
// RUN: mlgc run %t.mlgcx --input=x=0x2xf32 | FileCheck %s --check-prefix=EMPTY
// EMPTY: y: 0xf32
// RUN: %exits 5 mlgc run %t.mlgcx --input=x=4000x2xf32=1 --memory-limit=40000 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: mlgc: error: {{[0-9]+}} bytes for temporaries of `positive` are more than the limit of 40000 allows
// RUN: env PYTHONPATH=%samples/hosts %python -c "from run_model import Model; m = Model('%t.mlgcx'); print(*(m.run('positive', [([n // 2, 2], x)]) for n, x in ((4, [1, -2, 3, 4]), (2, [-1, -2]), (2, [5, 6]))))" | FileCheck %s --check-prefix=CTYPES
// CTYPES: {{^\[\(\[3\], \[1\.0, 3\.0, 4\.0\]\)\] \[\(\[0\], \[\]\)\] \[\(\[2\], \[5\.0, 6\.0\]\)\]$}}
func @positive(%x: tensor<[B]x2xf32>) -> tensor<[hits]xf32> {
  %zero = constant {value = dense<0.0> : tensor<f32>}
  %mask = gt %x, %zero
  %p = nonzero %mask : tensor<[hits]x2xi64> where hits <= 2*B
  %row = select %p {dim = 1, index = 0}
  %column = select %p {dim = 1, index = 1}
  %two = constant {value = dense<2> : tensor<i64>}
  %start = mul %row, %two
  %at = add %start, %column
  %flat = view %x {shape = [2*B]}
  %y = index_select %flat, %at {dim = 0}
  return %y
}

// Textbook programs with their gradients are samples: they are what `mlgc grad` prints.
// RUN: mlgc grad %samples/expression.mlir -o %t.expression.mlir
// RUN: sed /^\\/\\//d %samples/expression_gradient.mlir | diff - %t.expression.mlir
// RUN: mlgc grad %samples/mlp.mlir --loss=cross_entropy -o %t.mlp.mlir
// RUN: sed /^\\/\\//d %samples/mlp_gradient.mlir | diff - %t.mlp.mlir
// RUN: mlgc eval %t.expression.mlir --input=x=0.5 --input=y=2 | FileCheck %s --check-prefix=VALUES
// VALUES: z: f32
// VALUES-NEXT: 1.19856
// VALUES-NEXT: d_x: f32
// VALUES-NEXT: 2.67338
// VALUES-NEXT: d_y: f32
// VALUES-NEXT: 0.47942
// Forward and backward of the MLP as two functions compute what the one does, bit for bit.
// RUN: mlgc grad %samples/mlp.mlir --mode=split --name=mlp -o %t.split.mlir
// RUN: mlgc eval %t.split.mlir --function=mlp_forward --dim=B=3 --random-inputs=1 --random-weights=1 --output=@%t.saved.npz
// RUN: mlgc eval %t.split.mlir --function=mlp_backward --input=@%t.saved.npz --input=g_logits=3x4xf32=1 --random-weights=1 --output=d_x=@%t.x.npy --output=d_fc0.weight=@%t.w.npy
// RUN: mlgc grad %samples/mlp.mlir --seed -o %t.joint.mlir
// RUN: mlgc eval %t.joint.mlir --dim=B=3 --random-inputs=1 --input=g_logits=3x4xf32=1 --random-weights=1 --output=d_x=@%t.jx.npy --output=d_fc0.weight=@%t.jw.npy
// RUN: cmp %t.x.npy %t.jx.npy
// RUN: cmp %t.w.npy %t.jw.npy
// What folding and the removal of dead and equal ops leave of a graph as it is derived: docs/gradients.md has the
// numbers. Of the expression the products with 1 go, of its second derivative an equal op, too.
// RUN: mlgc grad %samples/expression.mlir --raw | mlgc opt - --canonicalize --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=FIRST
// FIRST: canonicalize: changed
// FIRST: compute 8 -> 5 (-3)
// FIRST: rule mul-one: 2
// FIRST: {{^}}unchanged: cse, dce{{$}}
// FIRST: compute 5:
// RUN: mlgc grad %samples/expression.mlir --wrt=x | mlgc grad - --of=d_x --wrt=x --raw | mlgc opt - --canonicalize --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=SECOND
// SECOND: canonicalize: changed
// SECOND: compute 11 -> 10 (-1)
// SECOND: cse: changed
// SECOND: ops-merged: 1
// SECOND: {{^}}unchanged: dce{{$}}
// SECOND: compute 9:
// The regions of a branch compute their side again; what the gradient does not need of it is dead.
// RUN: mlgc grad %samples/if.mlir --of=first --seed --raw | mlgc opt - --canonicalize --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=BRANCH
// BRANCH: compute 5 -> 3 (-2)
// Of an MLP and of attention nothing is left to fold: zeros are never written, and only what is asked for is derived.
// RUN: mlgc grad %samples/mlp.mlir --loss=cross_entropy --raw | mlgc opt - --canonicalize --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=MLP
// MLP: compute 17 -> 16 (-1)
// MLP: {{^}}unchanged: cse, dce{{$}}
// MLP: compute 16:
// RUN: mlgc grad %samples/attention.mlir --seed --raw | mlgc opt - --canonicalize --cse --dce --statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: {{^}}unchanged: canonicalize, cse, dce{{$}}
// ATTENTION: compute 11:

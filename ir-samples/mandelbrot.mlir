// A loop over whole tensors with a fixed end: how long each point of a plane stays bounded under z*z + c.
// eval: --input=re=4xf32=-2,-0.5,0.3,1 --input=im=4xf32=0,0.5,0.5,1
func @escape(%re: tensor<[N]xf32>, %im: tensor<[N]xf32>) -> tensor<[N]xi64> {
  %zero = mul %re {other = 0.0}
  %none = cast %zero {dtype = i64}
  %i0 = constant {value = dense<0> : tensor<i64>}
  %i, %a, %b, %age = while (%n = %i0, %x = %zero, %y = %zero, %k = %none) {
    %more = lt %n {other = 20}
    condition %more, %n, %x, %y, %k
  } do (%n: tensor<i64>, %x: tensor<[N]xf32>, %y: tensor<[N]xf32>, %k: tensor<[N]xi64>) {
    %xx = mul %x, %x
    %yy = mul %y, %y
    %xy = mul %x, %y
    %size = add %xx, %yy
    %inside = le %size {other = 4.0}
    %one = cast %inside {dtype = i64}
    %older = add %k, %one
    %difference = sub %xx, %yy
    %u = add %difference, %re
    %twice = mul %xy {other = 2.0}
    %v = add %twice, %im
    %n1 = add %n {other = 1}
    yield %n1, %u, %v, %older
  }
  return %age
}

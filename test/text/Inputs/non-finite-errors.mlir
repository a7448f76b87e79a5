func @f() -> tensor<i64> {
  %a = constant {value = dense<inf> : tensor<i64>}
  return %a
}
func @g() attributes {t.a = -nan} {
  return
}
func @h() attributes {t.a = inf : i32} {
  return
}
func @i(%x: tensor<[inf]xf32>) {
  return
}

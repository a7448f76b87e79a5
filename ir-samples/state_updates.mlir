// Functions are pure: new states are returned, and the signature says what they replace.
// eval: --input=loss=0.25 --random-weights=1
module @running_mean {
  state @mean : tensor<f32>
  state @count : tensor<i64>
  func @observe(%loss: tensor<f32>) -> tensor<f32> updates (@mean = %next, @count = %n) {
    %mean = read @mean
    %count = read @count
    %n = add %count {other = 1}
    %divisor = cast %n {dtype = f32}
    %error = sub %loss, %mean
    %step = div %error, %divisor
    %next = add %mean, %step
    return %next, %next, %n
  }
}

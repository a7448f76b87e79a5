// The loss of a classifier: log-softmax, the log-probability of each target, and their mean.
// eval: --dim=B=4 --input=target=rand:lo=0,hi=9 --random-inputs=1
func @loss(%logits: tensor<[B]x10xf32>, %target: tensor<[B]xi64>) -> (tensor<f32>, tensor<f32>) where 1 <= B {
  %logp = log_softmax %logits {dim = [1]}
  %column = unsqueeze %target {dim = 1}
  %picked = gather %logp, %column {dim = 1}
  %mean = mean %picked {dim = [0, 1]}
  %spelled = neg %mean
  %whole = cross_entropy %logits, %target
  return %spelled, %whole
}

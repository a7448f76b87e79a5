// Functions that no library has are the same in the interpreter and in compiled code, at poles and edges too.
// RUN: mlgc eval %s --input=x=5xf64=0,-2,2.5,-2.5,inf --output=lgamma=- | FileCheck %s --check-prefix=LGAMMA
// LGAMMA: lgamma: 5xf64
// LGAMMA-NEXT: [{{ *}}inf, {{ *}}inf, {{ *}}0.284682870472919{{[0-9]*}}, -0.05624371649767{{[0-9]*}}, {{ *}}inf]
// RUN: mlgc eval %s --input=x=5xf64=0,-2,2.5,-2.5,inf --output=digamma=- | FileCheck %s --check-prefix=DIGAMMA
// DIGAMMA: digamma: 5xf64
// DIGAMMA-NEXT: [{{ *}}-inf, {{ *}}nan, 0.703156640645243{{[0-9]*}}, 1.10315664064524{{[0-9]*}}, {{ *}}inf]
// RUN: mlgc eval %s --input=x=5xf64=0,-2,2.5,-2.5,inf --output=second=- | FileCheck %s --check-prefix=SECOND
// SECOND: second: 5xf64
// SECOND-NEXT: [{{ *}}-inf, {{ *}}-inf, -0.2362040516417{{[0-9]*}}, -0.1082040516417{{[0-9]*}}, {{ *}}-0.0]
// RUN: mlgc eval %s --input=x=5xf64=0,-2,0.5,-0.9375,1 --output=erfinv=- | FileCheck %s --check-prefix=ERFINV
// ERFINV: erfinv: 5xf64
// ERFINV-NEXT: [{{ *}}0.0, {{ *}}nan, {{ *}}0.4769362762044{{[0-9]*}}, -1.31715033498613{{[0-9]*}}, {{ *}}inf]
// RUN: mlgc eval %s --input=x=5xf64=0,-2,2.5,30,inf --output=erfc=- | FileCheck %s --check-prefix=ERFC
// ERFC: erfc: 5xf64
// ERFC-NEXT: [{{ *}}1.0, {{ *}}1.99532226501895{{[0-9]*}}, 0.00040695201744495{{[0-9]*}}, {{ *}}0.0, {{ *}}0.0]
// RUN: mlgc eval %s --input=x=5xf64=0,-2,2.5,-2.5,inf --compare=cpp | FileCheck %s --check-prefix=CPP
// CPP-DAG: lgamma by cpp: agrees
// CPP-DAG: digamma by cpp: agrees
// CPP-DAG: second by cpp: agrees
// CPP-DAG: erfinv by cpp: agrees
// CPP-DAG: erfc by cpp: agrees
module {
func @special(%x: tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
  %lgamma = lgamma %x : tensor<5xf64>
  %digamma = digamma %x : tensor<5xf64>
  %second = polygamma %x {n = 2} : tensor<5xf64>
  %erfinv = erfinv %x : tensor<5xf64>
  %erfc = erfc %x : tensor<5xf64>
  return %lgamma, %digamma, %second, %erfinv, %erfc
}
}

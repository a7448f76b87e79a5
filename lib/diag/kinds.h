// Every table of diagnostic kinds. A new table is added here and in kinds.cpp.
#pragma once

#include "diag/kinds_artifact.h"
#include "diag/kinds_check.h"
#include "diag/kinds_codegen.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_import.h"
#include "diag/kinds_interp.h"
#include "diag/kinds_loops.h"
#include "diag/kinds_ops.h"
#include "diag/kinds_partition.h"
#include "diag/kinds_pass.h"
#include "diag/kinds_rules.h"
#include "diag/kinds_tensor.h"
#include "diag/kinds_text.h"
#include "diag/kinds_torch.h"
#include "diag/kinds_verify.h"

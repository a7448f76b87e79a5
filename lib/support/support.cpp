// Compiles the headers of this folder on their own, so that each is known to be self-contained.
#include "support/hash.h"
#include "support/id.h"
#include "support/result.h"

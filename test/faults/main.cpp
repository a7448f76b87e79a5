// The driver with passes that are wrong: each fault is a pass of its own.
#include "driver/driver.h"
#include "faults/faults.h"
#include "transforms/all_passes.h"

int main(int argc, char** argv) {
  for (const mlgc::PassDef* pass : mlgc::test::faulty_passes()) mlgc::add_pass(*pass);
  return static_cast<int>(mlgc::run_driver(argc, argv));
}

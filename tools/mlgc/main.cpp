// The program: hands its arguments to the driver, which maps every outcome to a documented exit code.
#include "driver/driver.h"

int main(int argc, char** argv) { return static_cast<int>(mlgc::run_driver(argc, argv)); }

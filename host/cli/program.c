// SPDX-License-Identifier: Apache-2.0
// carillon, as one process.
#include "cli.h"

int main(int argc, char **argv) { return carillon_main(argc, argv); }

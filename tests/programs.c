// SPDX-License-Identifier: Apache-2.0
// The tests in C: one program under many names, which links to it have.
#include <stdio.h>
#include <string.h>

// Some take arguments and some do not, as main may.
#define PROGRAM(name) int main_of_##name();
#include "programs.h"
#undef PROGRAM

static const struct {
    const char *name;
    int (*main)();
} programs[] = {
#define PROGRAM(name) {#name, main_of_##name},
#include "programs.h"
};

int main(int argc, char **argv)
{
    const char *const slash = strrchr(argv[0], '/'), *const name = slash ? slash + 1 : argv[0];

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(programs[i].name, name)) return programs[i].main(argc, argv);
    fprintf(stderr, "%s: no test has this name: call a link, e.g. build/tests/test_check\n", name);
    return 2;
}

// SPDX-License-Identifier: Apache-2.0
// Which mutant is chosen, and which test of a unit test, from the environment; and, where a file is named for it, which
// mutants a run comes past.
#include "chooser.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void cmocka_set_test_filter(const char *pattern) __attribute__((weak)); // the program has none

int crl_mutant;
static unsigned char nowhere[CRL_MUTANTS];
unsigned char *crl_reached = nowhere;

// A file that is mapped also keeps what a run came past that was killed.
__attribute__((constructor)) static void choose(void)
{
    const char *number = getenv("CRL_MUTANT"), *path = getenv("CRL_REACHED");
    const char *part = getenv("CRL_PART");
    if (part && *part && cmocka_set_test_filter) cmocka_set_test_filter(part);
    if (number) crl_mutant = atoi(number);
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, CRL_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) crl_reached = map;
    close(file);
}

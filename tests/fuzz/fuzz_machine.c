// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of LogP parameters. What is read must come out the same by its name.
#include "memory_file.h"
#include "machine/logp/problem.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct memory_file file = memory_file(bytes, size);
    struct crl_logp machine, again;
    struct crl_diag diag;
    char name[CRL_LOGP_NAME];
    snprintf(name, sizeof name, "logp:%s", file.path);
    int error = crl_logp_parse(&machine, name, &diag);
    memory_file_close(&file);
    if (error) return 0;
    crl_logp_name(&machine, name);
    if (crl_logp_parse(&again, name, &diag) || memcmp(&machine, &again, sizeof machine)) abort();
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "api/machine.h"

extern const struct crl_machine crl_machine_slots, crl_machine_logp, crl_machine_queue, crl_machine_online;

const struct crl_machine *const crl_machines[] = {&crl_machine_slots, &crl_machine_logp, &crl_machine_queue,
                                                  &crl_machine_online, NULL};

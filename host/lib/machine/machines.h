// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_MACHINES_H
#define CRL_MACHINES_H

#include "api/machine.h"

extern const struct crl_machine crl_machine_slots, crl_machine_logp, crl_machine_queue, crl_machine_online;

#endif

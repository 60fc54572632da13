// SPDX-License-Identifier: Apache-2.0
// Images of forwarding tables, as the commands use them.
#ifndef CRL_QUEUE_IMAGE_H
#define CRL_QUEUE_IMAGE_H

#include "cli.h"
#include "dynamic/dynamic.h"

bool queue_wanted(const struct options *options); // the first operand is a scheme of random broadcasts
bool queue_is_image(const char *path);
int queue_command_build(const struct options *options);
int queue_command_dump(const struct options *options);

#endif

// SPDX-License-Identifier: Apache-2.0
// LogP machines: the part of a job that has an image.
#ifndef CRL_LOGP_PLAY_CLI_H
#define CRL_LOGP_PLAY_CLI_H

#include "logp_cli.h"
#include "lower/logp.h"
#include "model/logp.h"
#include "oracle/logp.h"

struct logp_play {
    struct logp_job job;
    struct crl_logp_image image; // bits is NULL until there is one
};

// Whether a file is an image of a LogP machine's tables; also false if it cannot be read.
bool logp_is_image(const char *path);
// Schedule and image of an algorithm: planned (or read from --from), checked, lowered, and read back.
int logp_play_build(struct logp_play *play, const struct options *options);
// Those of an image file; the schedule in it is not checked.
int logp_play_read(struct logp_play *play, const struct options *options, const char *path);
int logp_play_check(struct logp_play *play, const char *file);
void logp_play_done(struct logp_play *play);
json_t *logp_play_summary(const struct logp_play *play);

int logp_command_build(const struct options *options);
int logp_command_dump(const struct options *options);
int logp_command_run(const struct options *options);

#endif

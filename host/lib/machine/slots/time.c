// SPDX-License-Identifier: Apache-2.0
// Slots as time, where it is said what a link carries in one, how fast, and after how long.
#include "base/base.h"
#include "machine/slots/slots.h"

static bool is_timed(const struct carillon_options *o) { return o->word && o->link > 0 && o->alpha >= 0; }

int slots_refuse_time(const struct carillon_options *o, struct crl_diag *diag)
{
    if (!crl_option_given(o, "word link alpha") || is_timed(o)) return 0;
    if (!o->link) return crl_fail(diag, CRL_ERR_ARGUMENT, "--link is how many Gbit/s a link carries: more than 0");
    return crl_fail(diag, CRL_ERR_ARGUMENT,
                    "a time needs all of --word BYTES, --link GBPS and --alpha NS: say the three, or none of them");
}

// Nanoseconds of a slot.
static double slot_ns(const struct carillon_options *o) { return o->alpha + 8.0 * o->word / o->link; }

static void set(json_t *object, const char *prefix, const char *key, double value)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", prefix, key);
    json_object_set_new(object, name, crl_json_real(value));
}

// Time of so many slots, and the buffer's bytes in that time.
static void add(json_t *object, const char *prefix, double slot, double bytes, uint64_t slots)
{
    set(object, prefix, "time_us", slot * (double)slots / 1000);
    set(object, prefix, "algbw", bytes / (slot * (double)slots));
}

void slots_add_time(json_t *object, const struct carillon_problem *problem, uint64_t slots, uint64_t bound)
{
    const struct carillon_options *o = &problem->options;
    if (!is_timed(o)) return;
    uint64_t bytes = crl_problem_buffer(slots_said(problem)) * o->word;
    json_object_set_new(object, "slot_ns", crl_json_real(slot_ns(o)));
    json_object_set_new(object, "buffer_bytes", crl_json_number(bytes));
    if (slots != UINT64_MAX) add(object, "", slot_ns(o), (double)bytes, slots);
    add(object, "bound_", slot_ns(o), (double)bytes, bound);
}

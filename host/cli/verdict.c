// SPDX-License-Identifier: Apache-2.0
// What came of it in one line, made of the summary that programs get.
#include "cli.h"
#include <jansson.h>
#include <string.h>

static long long number(const json_t *o, const char *key) { return json_integer_value(json_object_get(o, key)); }
static const char *text(const json_t *o, const char *key)
{
    const char *value = json_string_value(json_object_get(o, key));
    return value ? value : "";
}
static const char *title(const json_t *o) { return carillon_algorithm_title(text(o, "algorithm")); }
static const char *plural(long long count) { return count == 1 ? "" : "s"; }

// As time and bandwidth, where it was said what a slot takes: in brackets, after the slots.
static void print_time(const json_t *o, const char *time, const char *bandwidth, const char *how)
{
    const json_t *us = json_object_get(o, time), *rate = json_object_get(o, bandwidth);
    if (json_is_real(us)) printf(" (%.6g us", json_real_value(us));
    if (json_is_real(rate)) printf(", %s%.4g GB/s", how, json_real_value(rate));
    if (json_is_real(us)) putchar(')');
}

static void print_bound(const json_t *o, long long slots, long long bound)
{
    if (bound == slots) fputs(", the least possible", stdout);
    else printf(json_is_true(json_object_get(o, "optimal")) ? ", proved optimal (bound %lld)" : " (bound %lld)", bound);
}

// Of traffic that comes anew: how often, and if that was the question, how often at best.
static void print_period(const json_t *o)
{
    long long period = number(o, "traffic_period");
    const json_t *bound = json_object_get(o, "bound_traffic_period");
    if (period) printf(", anew every %lld slot%s", period, plural(period));
    if (period && bound) print_bound(o, period, json_integer_value(bound));
}

// Of streams: how long it takes from end to end, where that is what was planned.
static void print_ends(const json_t *o, long long slots)
{
    long long ends = number(o, "end_to_end_slots");
    if (!ends || ends == slots) return;
    printf("; %lld from end to end", ends);
    if (*text(o, "optimal_for")) printf(", optimal for %s", text(o, "optimal_for"));
    else printf(" (bound %lld)", number(o, "bound_end_to_end"));
}

// What it is, how long it takes, and how near that is to the best there can be.
static void print_slots(const json_t *o)
{
    long long slots = number(o, "slots");
    const json_t *bound = json_object_get(o, "bound_slots");
    printf("%s on %s in %lld slot%s", title(o), text(o, "topology"), slots, plural(slots));
    print_time(o, "time_us", "algbw", "");
    if (json_is_integer(bound) && !json_object_get(o, "bound_traffic_period"))
        print_bound(o, slots, json_integer_value(bound));
    print_ends(o, slots);
    print_period(o);
}

static void verdict_of_run(const json_t *o)
{
    long long mismatches = number(o, "mismatches"), faults = number(o, "faults");
    const char *result = text(o, "result");
    if (mismatches || faults || strcmp(result, "ok")) {
        printf("WRONG: %s on %s: ", title(o), text(o, "topology"));
        if (mismatches) printf("a link word differs from the schedule");
        else if (strcmp(result, "ok")) printf("the result is %s", result);
        else printf("%lld fault%s", faults, plural(faults));
        return;
    }
    fputs("ok: ", stdout);
    print_slots(o);
    printf("; played (engine %s), every word right", text(o, "engine"));
}

static void verdict_of_check(const json_t *o)
{
    long long errors = number(o, "violations"), warnings = number(o, "warnings");
    if (errors) {
        printf("BREAKS RULES: %lld finding%s for %s on %s", errors, plural(errors), title(o), text(o, "topology"));
        return;
    }
    fputs("valid: ", stdout);
    print_slots(o);
    if (warnings) printf("; %lld warning%s", warnings, plural(warnings));
}

static void verdict_of_plan(const json_t *o)
{
    fputs("planned: ", stdout);
    print_slots(o);
    if (*text(o, "advice")) printf("; %s", text(o, "advice"));
}

static void verdict_of_bound(const json_t *o)
{
    long long slots = number(o, "bound_slots");
    printf("%s on %s: at least %lld slot%s", title(o), text(o, "topology"), slots, plural(slots));
    print_time(o, "bound_time_us", "bound_algbw", "at most ");
    if (json_object_get(o, "bound_traffic_period"))
        printf("; anew every %lld slots at best", number(o, "bound_traffic_period"));
}

static void verdict_of_traffic(const json_t *o)
{
    const json_t *limit = json_object_get(o, "rho_limit");
    double rho = json_number_value(json_object_get(o, "rho"));
    bool right = !strcmp(text(o, "result"), "ok"), stable = json_is_true(json_object_get(o, "stable"));
    printf("%s: %s on %s at load %.4g",
           !right   ? "WRONG"
           : stable ? "ok"
                    : "UNSTABLE",
           text(o, "scheme"), text(o, "topology"), rho);
    if (json_is_number(limit)) printf(" (it carries %.4g)", json_number_value(limit));
    if (!right) printf(": the result is %s", text(o, "result"));
    else
        printf(stable ? ": stable, every packet arrived"
                      : ": queues grow as long as it lasts, so there is no delay; every packet arrived in the end");
}

void print_verdict(const char *summary, const struct options *options, enum verdict_of of)
{
    static void (*const print[])(const json_t *) = {[OF_RUN] = verdict_of_run,
                                                    [OF_CHECK] = verdict_of_check,
                                                    [OF_TRAFFIC] = verdict_of_traffic,
                                                    [OF_PLAN] = verdict_of_plan,
                                                    [OF_BOUND] = verdict_of_bound};
    json_t *object = summary && !options->json ? json_loads(summary, 0, NULL) : NULL;
    if (!object) return;
    print[of](object);
    putchar('\n');
    fflush(stdout); // before what standard error says of it
    json_decref(object);
}

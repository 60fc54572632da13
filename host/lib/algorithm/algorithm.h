// SPDX-License-Identifier: Apache-2.0
// What an algorithm is made of. A new one is one file that ends with its rows, and their name in the list of table.c.
#ifndef CRL_ALGORITHM_H
#define CRL_ALGORITHM_H

#include "algorithm/estimate.h"
#include "schedule/schedule.h"

enum { CRL_FOR_ALL_PORTS = 1u << CRL_PORTS_ALL, CRL_FOR_SINGLE_PORT = 1u << CRL_PORTS_SINGLE };

// What a scheme can do beside whole packets on links of latency 1 between nodes that all take part.
enum {
    CRL_HANDLES_LATENCY = 1 << 0, // links that take longer than a slot
    CRL_HANDLES_HOSTS = 1 << 1,   // nodes that only forward
    CRL_HANDLES_PARTS = 1 << 2,   // packets that are split
    CRL_HANDLES_NOWAIT = 1 << 3,  // packets that may not wait on their way
    CRL_HANDLES_KEEP = 1 << 4,    // a plan of before that is to change as little as can be
    // And what it is.
    CRL_HANDLES_SEARCH = 1 << 5,   // tried by those who ask for no scheme, where the default misses the bound
    CRL_HANDLES_EFFORT = 1 << 6,   // the longer it may search, the better
    CRL_HANDLES_ONLINE = 1 << 7,   // routers find the schedule themselves, knowing their place and if they are active
    CRL_HANDLES_BALANCED = 1 << 8, // on line, an exchange of balanced classes
    CRL_HANDLES_CABLES = 1 << 10,  // links with gaps, and links that share a cable
    CRL_HANDLES_ONE_WAY = 1 << 9,  // backwards its schedules are of no use
};

// The cheapest router on which it plays: any; one in whose nodes no packet waits; one without a write crossbar; one
// of a single bank.
enum crl_router { CRL_ROUTER_ANY, CRL_ROUTER_NOWAIT, CRL_ROUTER_BANKED, CRL_ROUTER_ONE_BANK };

// One row of the table of algorithms: what solves what, where, how well, and who says so, in words that come first and
// in this order; then, by name, what the program goes by. It also serves collectives that are one of its own in
// reversed time, unless it is on line or one way.
struct crl_algorithm {
    const char *collectives; // names, as in "scatter gather"; NULL ends an array of rows
    const char *scheme;
    const char *networks;  // as in "hypercube"
    const char *guarantee; // its number of slots, as a formula; NULL: none claimed
    const char *paper;     // key and section; NULL: none
    const char *summary;
    uint32_t ports;   // one of CRL_FOR_…; 0: for both models
    uint32_t handles; // bit set of CRL_HANDLES_…
    enum crl_router router;
    bool (*applies)(const struct crl_problem *problem); // NULL: wherever the members above allow
    int (*plan)(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag);
    // Whether its schedules look the same from every node where problems do, so that one node's rows are all.
    bool (*symmetric)(const struct crl_problem *problem);    // NULL: never
    uint32_t (*splits)(const struct crl_topology *topology); // parts into which packets must be split; NULL: any
    struct crl_plan_cost cost;
    bool (*quick)(const struct crl_problem *problem);       // planned in about a second; NULL: as cost.quick_nodes says
    uint32_t (*seconds)(const struct crl_problem *problem); // how long it searches unless told; NULL: cost.search_s
    uint64_t (*claim)(const struct crl_problem *problem);   // slots; UINT64_MAX, NULL: none claimed
};

// The rows in order of preference: all of them, in out[CRL_ALGORITHMS_MAX], and how many; one, NULL behind the last.
enum { CRL_ALGORITHMS_MAX = 100 };
size_t crl_algorithms_all(const struct crl_algorithm **out);
const struct crl_algorithm *crl_algorithm_at(size_t index);
// All rows that solve `problem`, the default first, in out[CRL_ALGORITHMS_MAX]; returns how many. What list, compare,
// plan, hints and refusals show is what this says.
size_t crl_algorithms_for(const struct crl_algorithm **out, const struct crl_problem *problem);
// The first row that solves `problem`, or the one named `scheme` (NULL: any).
int crl_algorithm_find(const struct crl_algorithm **out, const struct crl_problem *problem, const char *scheme,
                       struct crl_diag *diag);
// The first that plays on such a router, or that is planned by one who knows all nodes; or NULL.
const struct crl_algorithm *crl_algorithm_for_router(const struct crl_problem *problem, enum crl_router router);
const struct crl_algorithm *crl_algorithm_planned(const struct crl_problem *problem);
// Whether a row has a collective's name; or, if not, that of what it is in reversed time, and serves that, too.
bool crl_algorithm_names(const struct crl_algorithm *algorithm, const char *collective);
bool crl_algorithm_serves(const struct crl_algorithm *algorithm, const char *collective);
// Whether it serves a collective on a topology, with all ports or a single one.
bool crl_algorithm_fits(const struct crl_algorithm *algorithm, const char *collective,
                        const struct crl_topology *topology);
// The parts into which a scheme for the collective splits packets itself; 1: it does not.
uint32_t crl_algorithm_parts(const char *collective, const char *scheme, const struct crl_topology *topology);
static inline bool crl_algorithm_is(const struct crl_algorithm *algorithm, uint32_t handles)
{
    return (algorithm->handles & handles) == handles;
}

// Whether planning takes no more than about a second, so that it may be tried by those who did not ask for it.
bool crl_plan_is_quick(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
struct crl_plan_estimate crl_plan_estimate(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
// For how many seconds it searches, at most.
uint32_t crl_plan_effort(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
// Whether its schedules look the same from every node, so that they have a relative form; and a scheme for the problem
// of which that holds, or NULL.
bool crl_plan_folds(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
const char *crl_plan_folds_with(const struct crl_problem *problem);
// The slots that it promises; UINT64_MAX: none are claimed.
uint64_t crl_plan_claim(const struct crl_algorithm *algorithm, const struct crl_problem *problem);
// Plans. Fails with CRL_ERR_LIMIT, before it begins, where that needs more memory than there is. `schedule` comes back
// in canonical order and folded where the algorithm is symmetric; the caller ends it
// with crl_schedule_done also after an error.
int crl_plan(struct crl_schedule *schedule, const struct crl_algorithm *algorithm, const struct crl_problem *problem,
             struct crl_diag *diag);

// Of an on-line algorithm and its schedule: the slots of counting, which come before the first packet, and an upper
// bound on its time in slots of a whole packet if a step of counting takes `tp` of them (NAN: none is known). Returns
// false, and leaves both alone, for any other algorithm. Varvarigos & Bertsekas 1994, Eqs. (5a) to (6b) and Sec. 4, for
// any sides.
bool crl_online_timing(const struct crl_algorithm *algorithm, const struct crl_schedule *schedule,
                       const struct crl_problem *problem, double tp, uint32_t *count_slots, double *bound);

// ---- reversed time

// Turns round a schedule that was planned on `topology` with all links turned round: what it spreads, that gathers.
// The next plans a problem as what it is in reversed time, and does so.
void crl_schedule_turn(struct crl_schedule *schedule, const struct crl_topology *topology);
int crl_plan_reversed(struct crl_schedule *schedule, const struct crl_algorithm *algorithm,
                      const struct crl_problem *problem, struct crl_diag *diag);

// ---- what several planners share

bool crl_is_hypercube(const struct crl_problem *problem);
bool crl_is_product(const struct crl_problem *problem); // hypercubes included
bool crl_is_any(const struct crl_problem *problem);

uint64_t crl_claim_cube(const struct crl_problem *problem); // ceil((N-1)/d)
uint64_t crl_claim_half(const struct crl_problem *problem); // N/2
uint64_t crl_claim_far(const struct crl_problem *problem);  // all ports: as far as the last node is away

bool crl_applies_scan_lines(const struct crl_problem *problem);
bool crl_applies_torus_orbit_broadcast(const struct crl_problem *problem);

int crl_plan_spread(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_torus_orbit_broadcast(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);
int crl_plan_all_reduce_twice(struct crl_schedule *, const struct crl_problem *, struct crl_diag *);

#endif

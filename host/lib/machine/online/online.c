// SPDX-License-Identifier: Apache-2.0
// The machine of on-line routers: schedules of link topologies, which nodes find by themselves, so there are no tables.
#include "machine/board_session.h"
#include "machine/replay.h"
#include "machine/slots/slots.h"
#include <inttypes.h>
#include "machine/online/online.h"
#include <stdlib.h>
#include <string.h>

static bool algorithm_at(size_t index, struct carillon_algorithm *row)
{
    static const struct carillon_algorithm rows[] = {{"random-broadcasts", "pmnb", "torus, mesh", "all",
                                                      "ρ below Eq. (14)", "V94 Sec. 5",
                                                      "partial multinode broadcasts on line, one after the other"}};
    if (index >= sizeof rows / sizeof *rows) return false;
    *row = rows[index];
    return true;
}

// ---------------------------------------------------------------- engines

// Hardware takes its registers, and the judge what packets there are, from a model of its own. It is RTL or on a board.
struct hardware {
    struct crl_online *online;
    struct crl_rtl *rtl;
    struct crl_board_session *session;
    struct crl_board_online *board;
};

static int open_online(struct crl_online **out, struct crl_run *run)
{
    return crl_online_new(out, slots_said(run->schedule->problem),
                          crl_algorithm_is(slots_schedule_in(run->schedule)->algorithm, CRL_HANDLES_BALANCED),
                          run->schedule->problem->options.depth, run->seed, run->diag);
}

static int open_rtl(void **self, struct crl_run *run)
{
    struct hardware *h = *self = calloc(1, sizeof *h);
    int error = h ? open_online(&h->online, run) : crl_fail_memory(run->diag);
    const struct crl_rtl_options how = {.context = run->schedule->problem->context,
                                        .wave = run->schedule->problem->options.wave};
    if (!error) error = crl_rtl_online_new(&h->rtl, h->online, &how, run->diag);
    return error ? error : crl_rtl_online_start(h->rtl, h->online, run->diag);
}

static int open_board(void **self, struct crl_run *run)
{
    const struct carillon_problem *problem = run->schedule->problem;
    struct hardware *h = *self = calloc(1, sizeof *h);
    int error = h ? open_online(&h->online, run) : crl_fail_memory(run->diag);
    if (!error) error = crl_board_session_open(&h->session, problem->context, &problem->options, run->diag);
    return error ? error : crl_board_online_new(&h->board, h->session->board, h->online, run->diag);
}

static struct crl_player hardware_player(void *self)
{
    struct hardware *h = self;
    return h->rtl ? crl_rtl_player(h->rtl) : crl_board_online_player(h->board);
}

static int finish_hardware(void *self, struct crl_run *run)
{
    struct hardware *h = self;
    return h->rtl ? crl_rtl_finish(h->rtl, run->diag) : crl_board_online_finish(h->board, run->diag);
}

static uint64_t hardware_faults(void *self, char text[160])
{
    struct hardware *h = self;
    return h->rtl ? crl_rtl_faults(h->rtl, text) : crl_board_online_faults(h->board, text);
}

static enum carillon_result judge_hardware(void *self, struct crl_run *run, struct crl_diag *where)
{
    struct hardware *h = self;
    struct crl_online_memory memory = h->rtl ? crl_rtl_online_memory(h->rtl) : crl_board_online_memory(h->board);
    (void)run;
    return crl_result_named(crl_online_oracle(h->online, &memory, where));
}

static void close_hardware(void *self)
{
    CRL_OWNED struct hardware *h = self;
    crl_rtl_free(h->rtl);
    crl_board_online_free(h->board);
    crl_board_session_close(&h->session, 0, NULL);
    crl_online_free(h->online);
}

static int open_model(void **self, struct crl_run *run) { return open_online((struct crl_online **)self, run); }
static struct crl_player model_player(void *self) { return crl_online_player(self); }
static void close_model(void *self) { crl_online_free(self); }

static uint64_t model_faults(void *self, char text[160])
{
    uint32_t lost = crl_online_faults(self);
    snprintf(text, 160, "%u packets found a queue full", lost);
    return lost;
}

static enum carillon_result judge_model(void *self, struct crl_run *run, struct crl_diag *where)
{
    uint32_t lost = crl_online_faults(self);
    (void)run;
    crl_fail(where, 0, "%u packets were lost", lost);
    return lost ? CARILLON_MISSING : CARILLON_OK; // the checker judged the rest
}

static const struct crl_player_kind players[] = {
    {CRL_ENGINE_RTL, "rtl", open_rtl, hardware_player, finish_hardware, hardware_faults, judge_hardware,
     close_hardware},
    {CRL_ENGINE_BOARD, "board", open_board, hardware_player, finish_hardware, hardware_faults, judge_hardware,
     close_hardware},
    // A board is compared with the model.
    {CRL_ENGINE_MODEL | CRL_ENGINE_BOARD, "model", open_model, model_player, NULL, model_faults, judge_model,
     close_model},
    {0, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

// ---------------------------------------------------------------- traces for replay pages: beside those of the model

static void place(const void *user, uint64_t step, uint32_t port, struct crl_mark *mark)
{
    const struct crl_topology *t = user;
    bool known = mark->src < crl_topology_nodes(t) && port < crl_topology_ports(t);
    mark->slot = (uint32_t)step + 1;
    if (known) mark->dst = crl_topology_neighbor(t, mark->src, port);
}

static int trace_of(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                    const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(schedule->problem);
    const struct carillon_options *o = &schedule->problem->options;
    struct crl_online *online = NULL;
    (void)image;
    int error =
        crl_online_new(&online, problem, crl_algorithm_is(slots_schedule_in(schedule)->algorithm, CRL_HANDLES_BALANCED),
                       o->depth, o->seed, diag);
    if (!error) {
        const struct crl_replay replay = {.player = crl_online_player(online),
                                          .nodes = crl_topology_nodes(problem->topology),
                                          .ports = crl_topology_ports(problem->topology),
                                          .place = place,
                                          .user = problem->topology,
                                          .unit = "slot"};
        error = crl_replay_compare(&replay, trace, name, stopped, page, diag);
    }
    crl_online_free(online);
    return error;
}

static struct crl_extent extent(const struct crl_run *run)
{
    const struct crl_topology *t = slots_said(run->schedule->problem)->topology;
    return (struct crl_extent){crl_topology_nodes(t), crl_topology_ports(t), run->schedule->report.slots};
}

// ---------------------------------------------------------------- random broadcasts: one interval after the other

enum {
    RTL_WAITING = 1024, // packets that may wait at a node in RTL, unless the options say otherwise
    RTL_WAITING_MAX = 1 << 16,
};

static const char intervals[] = "pmnb";
static bool traffic_knows(const char *scheme) { return !strcmp(scheme, intervals); }

static int refuse(const struct carillon_options *o, uint32_t engines, uint32_t depth, struct crl_diag *diag)
{
    if (o->blocking || o->stall) return crl_fail(diag, CRL_ERR_ARGUMENT, "pmnb has no --blocking and no --stall");
    if (engines & CRL_ENGINE_BOARD)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "pmnb is not played on a board: there they have no intervals");
    if ((engines & CRL_ENGINE_RTL) && (depth < 1 || depth > RTL_WAITING_MAX))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "in RTL 1 to %d packets wait at a node, not '%u'", RTL_WAITING_MAX,
                        depth);
    return 0;
}

// Which part of its origin's packet a word is: payloads tell, as no two are alike.
static uint32_t part_of(const struct crl_traffic_recorder *r, const struct crl_online *online, uint32_t origin,
                        uint32_t payload)
{
    for (uint32_t part = 0; part < r->parts; part++)
        if (crl_online_payload_of(online->problem, origin, part, online->sequence[origin], online->seed) == payload)
            return part;
    return CRL_NONE;
}

static void write_word(struct crl_traffic_recorder *r, const struct crl_interval_look *look, uint32_t src, uint32_t dst,
                       uint64_t word)
{
    uint32_t nodes = crl_topology_nodes(r->topology), origin = (uint32_t)(word >> 32) & 0xfff;
    if (word >> 63) {
        bool first = !ftell(r->counts);
        fprintf(r->counts, "%s[%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", first ? "" : ",", look->slot, src,
                dst, (uint32_t)word);
        return;
    }
    uint32_t part = origin < nodes ? part_of(r, look->online, origin, (uint32_t)word) : CRL_NONE;
    if (part == CRL_NONE) return; // damaged: the verdict says so
    size_t bit = ((size_t)dst * nodes + origin) * r->parts + part;
    bool keeps = dst != origin && !(r->seen[bit / 8] >> bit % 8 & 1);
    r->seen[bit / 8] |= (uint8_t)(1 << bit % 8);
    crl_traffic_move(r, src, dst, origin, look->online->sequence[origin] * r->parts + part, keeps);
}

static void watch(void *recorder, const struct crl_interval_look *look)
{
    struct crl_traffic_recorder *r = recorder;
    uint32_t nodes = crl_topology_nodes(r->topology), ports = crl_topology_ports(r->topology);
    if (look->begins) crl_traffic_forget(r);
    if (!crl_traffic_slot(r, look->slot, look->held)) return;
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < ports; p++)
            if (look->valid[v] >> p & 1)
                write_word(r, look, v, crl_topology_neighbor(r->topology, v, p), look->data[(size_t)v * ports + p]);
    crl_traffic_slot_end(r);
}

static int play_intervals(struct crl_dynamic_result *r, const struct crl_topology *topology,
                          const struct crl_traffic_point *point, const struct crl_intervals_options *options,
                          struct crl_diag *diag)
{
    const struct crl_rtl_options how = {.context = point->context, .seed = options->seed, .wave = point->options->wave};
    struct crl_intervals_engine playing[2];
    struct crl_intervals_model *model = NULL;
    struct crl_rtl *rtl = NULL;
    size_t count = 0;
    int error = 0;
    if (point->engines & CRL_ENGINE_RTL) {
        error = crl_rtl_intervals_new(&rtl, topology, options->depth, &how, diag);
        if (!error) playing[count++] = crl_rtl_intervals_engine(rtl);
    }
    if ((point->engines & CRL_ENGINE_MODEL) && !error) {
        error = crl_intervals_model_new(&model, topology, options->depth, options->seed, diag);
        if (!error) playing[count++] = crl_intervals_model_engine(model);
    }
    if (!error) error = crl_intervals_run(r, topology, options, playing, count, diag);
    if (!error && rtl) error = crl_rtl_intervals_finish(rtl, diag);
    crl_intervals_model_free(model);
    crl_rtl_free(rtl);
    return error;
}

static int traffic(struct carillon_traffic *t, const struct crl_traffic_point *point, struct crl_diag *diag)
{
    const struct carillon_options *o = point->options;
    struct crl_intervals_options options = {.rho = point->rho,
                                            .tp = o->tp,
                                            .slots = o->slots,
                                            .warmup = point->warmup,
                                            .seed = o->seed,
                                            .depth = point->depth,
                                            .trace = point->trace,
                                            .progress = crl_traffic_progress,
                                            .user = (void *)point};
    struct crl_dynamic_result r;
    CRL_ENDED(crl_traffic_record_done) struct crl_traffic_recorder recorder = {0};
    struct crl_topology *topology = NULL;
    int error = refuse(o, point->engines, options.depth, diag);
    if (!error) error = crl_topology_parse(&topology, point->topology, diag);
    if (!error && o->tp < 0) options.tp = 1.0 / crl_mini_packets(topology); // as played
    // A packet takes a slot of at least one of a node's links.
    if (!error) error = crl_traffic_fits(point, point->rho * crl_topology_ports(topology), diag);
    if (!error && point->page) {
        error = crl_traffic_record(&recorder, topology, crl_mini_packets(topology), diag);
        options.watch = watch;
        options.watcher = &recorder;
    }
    if (!error) error = play_intervals(&r, topology, point, &options, diag);
    if (!error) {
        const struct crl_traffic_paper paper = {.rho = options.rho,
                                                .tp = options.tp,
                                                .limit = r.limit,
                                                .delay = NAN,
                                                .formula_delay = r.bound,
                                                .formula_queue = NAN,
                                                .bound = NAN,
                                                .oblivious_bound = NAN};
        error = crl_traffic_tell(t, point, &r, &paper, diag);
    }
    if (!error && point->page) error = crl_traffic_page(&recorder, t, point, diag);
    crl_topology_free(topology);
    return error;
}

static uint32_t traffic_depth(const struct carillon_options *options, uint32_t engines)
{
    (void)options;
    return engines & CRL_ENGINE_RTL ? RTL_WAITING : 0;
}

// Routers without tables play what they can find by themselves, unless an option asks for tables.
static bool takes_over(const struct carillon_schedule *schedule)
{
    if (schedule->machine != &crl_machine_slots) return false;
    const struct crl_algorithm *algorithm = slots_schedule_in(schedule)->algorithm;
    return algorithm && crl_algorithm_is(algorithm, CRL_HANDLES_ONLINE) &&
           crl_online_playable(slots_said(schedule->problem)) &&
           !crl_option_given(&schedule->problem->options, "lanes banks streams words width");
}

static const struct crl_playing playing = {
    .takes_over = takes_over, .players = players, .extent = extent, .trace = trace_of};
static const struct crl_traffic_kind traffic_kind = {traffic_knows, traffic_depth, traffic};

// It claims nothing: its schedules are planned as those of slot tables.
const struct crl_machine crl_machine_online = {
    .name = "on-line", .algorithm = algorithm_at, .playing = &playing, .traffic = &traffic_kind};

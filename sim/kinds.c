// SPDX-License-Identifier: Apache-2.0
#include "kinds.h"

#include <stdio.h>

enum {
    TABLE_DEPTH_MAX = 1 << 20,
    PAGES_MAX = 1 << 16,
    PORTS_MAX = 32,
    BANKS_MAX = 64,
    ADDR_WIDTH_MAX = 24,
    CROSSBAR_MAX = 1024,
    LATENCY_MAX = 64,
    QUEUE_PORTS_MAX = 10,
    QUEUE_TREES_MAX = 15,
    QUEUE_SIZE_MAX = 1 << 16,
    ONLINE_NODES_MAX = 4096,
    ONLINE_DEPTH_MAX = 1 << 20,
    ONLINE_DIMS_MAX = 8,
    ONLINE_WAIT_MAX = 1 << 16,
    ONLINE_ADDRESS_BITS_MAX = 15,
    SILENCE = 11, /* of cables: longer than flits are under way */
};

static bool within(uint32_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

uint32_t crl_built_depth(uint32_t rows)
{
    uint32_t depth = 256;

    while (depth < rows) depth *= 4;
    return depth;
}

static uint32_t built_pages(uint32_t pages)
{
    uint32_t built = 1;

    while (built < pages) built *= 2;
    return built;
}

/* Places of a store: a power of two, of which few serve all. */
uint32_t crl_built_places(uint32_t depth)
{
    uint32_t places = 64;

    while (places < depth) places *= 4;
    return places;
}

/* What tables, banks and words have in common. */
static bool valid_memory(uint32_t data_width, uint32_t addr_width, uint32_t table_depth, uint32_t pages)
{
    return within(data_width, 8, CRL_SIM_DATA_WIDTH_MAX) && data_width % 8 == 0 &&
           within(addr_width, 1, ADDR_WIDTH_MAX) && within(table_depth, 1, TABLE_DEPTH_MAX) &&
           within(pages, 1, PAGES_MAX);
}

/* ---- routers ---- */

static bool valid_network(const struct crl_sim_params *params)
{
    const struct crl_sim_router *p = &params->network;

    return within(p->ports, 1, PORTS_MAX) && within(p->lanes, 1, p->ports) && within(p->banks, 1, BANKS_MAX) &&
           p->write_xbar <= 1 && p->delay <= 1 && p->waddr_field <= 1 &&
           (p->combine || !p->delay || p->banks >= p->lanes) && p->combine <= 9 &&
           (!p->combine || (p->write_xbar && p->delay && p->waddr_field && (!p->streams || p->banks >= p->lanes))) &&
           (p->write_xbar || p->banks == p->lanes) && p->streams <= 1 && p->storeless <= p->streams &&
           p->based <= p->streams && !(p->storeless && p->delay) &&
           valid_memory(p->data_width, p->addr_width, p->table_depth, p->pages);
}

static uint32_t router_row_bits(const struct crl_sim_router *p)
{
    const bool direct = p->banks < p->lanes && !p->combine; /* outputs select live inputs themselves */
    const uint32_t group_bits = crl_bits_for((p->ports + p->lanes - 1) / p->lanes);
    const uint32_t send_bits = crl_bits_for(direct ? p->lanes + p->banks : p->banks);
    const uint32_t store_bits = p->addr_width + 1 + (p->waddr_field ? p->addr_width : 0);
    const uint32_t bank_bits = (p->storeless ? 0 : store_bits) + (direct ? 0 : 1) + p->delay +
                               (p->combine      ? p->lanes * (1 + p->streams) + 3
                                : p->write_xbar ? crl_bits_for(p->lanes)
                                                : 0) +
                               (p->combine ? 0 : p->streams);
    const uint32_t show_bits = p->streams ? 1 + (p->combine ? send_bits : 0) : 0;

    return 1 + p->banks * bank_bits + p->lanes * (2 + send_bits + 2 * group_bits + show_bits);
}

static struct crl_shape network_shape(const struct crl_sim_params *params)
{
    const struct crl_sim_router *p = &params->network;

    return (struct crl_shape){p->ports, p->data_width, router_row_bits(p), p->table_depth,
                              p->streams ? UINT32_MAX : p->pages};
}

static const char *refuse_network(const struct crl_sim_config *config)
{
    if (!config->source) return "the sources of the inputs are missing";
    if (config->threads > 1 && config->wave != CRL_SIM_WAVE_NONE) return "waves need a simulation on one thread";
    if (config->params.network.streams && (config->params.flat || config->threads > 1))
        return "stream nodes run on one thread, and are not flat";
    if ((config->params.network.cables > 0) != (config->boards != NULL) ||
        (config->boards && (!config->params.network.streams || config->wave != CRL_SIM_WAVE_NONE)))
        return "boards have cables and stream nodes, and no waves";
    if (!config->params.flat) return NULL;
    if (config->tables != 1 && config->tables != config->nodes) return "a flat fabric has one table, or one a node";
    for (uint32_t n = 0; config->node_table && config->tables > 1 && n < config->nodes; n++)
        if (config->node_table[n] != n) return "table n of a flat fabric is that of node n";
    return NULL;
}

static struct crl_values network_values(const struct crl_sim_config *config)
{
    const struct crl_sim_router *p = &config->params.network;

    return (struct crl_values){{
        {"Ports", p->ports},
        {"Lanes", p->lanes},
        {"Banks", p->banks},
        {"WriteXbar", p->write_xbar},
        {"Delay", p->delay},
        {"WaddrField", p->waddr_field},
        {"DataW", p->data_width},
        {"AddrW", p->addr_width},
        {"TableDepth", crl_built_depth(p->table_depth)},
        {"Words", built_pages(p->pages)},
        {"RowW", router_row_bits(p)},
        {"SharedTable", config->tables == 1},
        {"Store", !p->storeless},
        {"Combine", p->combine},
        {"Based", p->based},
        {"Depth", p->cables},
        {"Expects", 1},
        {"Silence", SILENCE},
        {"Twice", 1},
    }};
}

static void define_streams(const struct crl_sim_config *config, FILE *file)
{
    const struct crl_sim_router *p = &config->params.network;
    const uint32_t bits = crl_bits_for(p->cables), least = bits + 4;

    fprintf(file, "#define CRL_STREAMS %u\n", p->lanes);
    if (p->cables)
        fprintf(file, "#define CRL_CABLES %u\n#define CRL_FLIT_BITS %u\n", p->cables,
                1 + 2 * bits + (p->data_width > least ? p->data_width : least) + p->data_width);
}

static void describe_network(const struct crl_sim_params *params, char *text, size_t size)
{
    const struct crl_sim_router *p = &params->network;

    snprintf(text, size, "%u ports, %u lanes, %u banks, %u-bit words", p->ports, p->lanes, p->banks, p->data_width);
}

/* ---- LogP machines ---- */

static bool valid_logp(const struct crl_sim_params *params)
{
    const struct crl_sim_logp *p = &params->logp;

    return within(p->ports, 2, CROSSBAR_MAX) && !(p->ports & (p->ports - 1)) &&
           within(p->latency_max, 1, LATENCY_MAX) &&
           valid_memory(p->data_width, p->addr_width, p->table_depth, p->pages);
}

static struct crl_shape logp_shape(const struct crl_sim_params *params)
{
    const struct crl_sim_logp *p = &params->logp;

    return (struct crl_shape){1, p->data_width, 17 + crl_bits_for(p->ports) + 2 * p->addr_width, p->table_depth,
                              p->pages};
}

static const char *refuse_logp(const struct crl_sim_config *config)
{
    const struct crl_sim_logp *p = &config->params.logp;

    if (config->threads > 1) return "a LogP machine runs on one thread";
    if (config->nodes > p->ports || config->tables != config->nodes)
        return "a LogP machine has a table a processor, and no more of them than ports";
    if (!within(config->latency, 1, p->latency_max) || config->op > 3)
        return "the latency or the operator is out of its range";
    return config->source || config->node_table ? "a LogP machine is wired by its crossbar" : NULL;
}

static struct crl_values logp_values(const struct crl_sim_config *config)
{
    const struct crl_sim_logp *p = &config->params.logp;

    return (struct crl_values){{
        {"DataW", p->data_width},
        {"AddrW", p->addr_width},
        {"TableDepth", crl_built_depth(p->table_depth)},
        {"Words", built_pages(p->pages)},
        {"NodeW", crl_bits_for(p->ports)},
        {"Stages", 0}, /* any latency, and departures where they are */
        {"Ports", p->ports},
        {"LatencyMax", p->latency_max},
    }};
}

static void define_logp(const struct crl_sim_config *config, FILE *file)
{
    fprintf(file, "#define CRL_CROSSBAR %u\n", config->params.logp.ports);
}

static void describe_logp(const struct crl_sim_params *params, char *text, size_t size)
{
    snprintf(text, size, "crossbar of %u ports, latency up to %u, %u-bit words", params->logp.ports,
             params->logp.latency_max, params->logp.data_width);
}

/* ---- queue control ---- */

static bool valid_queue(const struct crl_sim_params *params)
{
    const struct crl_sim_queue *p = &params->queue;

    return within(p->ports, 1, QUEUE_PORTS_MAX) && within(p->trees, 1, QUEUE_TREES_MAX) &&
           within(p->classes, 1, QUEUE_PORTS_MAX) && p->loops <= 1 && p->position <= 1 &&
           within(p->depth, 1, QUEUE_SIZE_MAX) && within(p->period, 1, QUEUE_SIZE_MAX) &&
           (!p->units || (!p->loops && p->units <= p->depth / p->trees / p->classes));
}

static struct crl_shape queue_shape(const struct crl_sim_params *params)
{
    return (struct crl_shape){params->queue.ports, 32, 11 + params->queue.ports + (params->queue.units ? 4 : 0), 1, 1};
}

static const char *refuse_alone(const struct crl_sim_config *config)
{
    if (!config->source) return "the sources of the inputs are missing";
    if (config->threads > 1) return "queue control and on-line routers run on one thread";
    if (config->wave != CRL_SIM_WAVE_NONE && config->params.flat) return "these flat fabrics have no waves";
    return NULL;
}

static struct crl_values queue_values(const struct crl_sim_config *config)
{
    const struct crl_sim_queue *p = &config->params.queue;
    const uint32_t places = crl_built_places(p->depth);

    return (struct crl_values){{
        {"Ports", p->ports},
        {"Trees", p->trees},
        {"Classes", p->classes},
        {"Loops", p->loops},
        {"Position", p->position},
        {"Depth", places},
        /* The largest buffers of blocking mode that such a store holds. */
        {"Units", p->units ? places / (p->trees * p->classes) : 0},
        {"Period", p->period},
        {"Counters", 1},
    }};
}

static void define_queue(const struct crl_sim_config *config, FILE *file)
{
    fprintf(file, "#define CRL_QUEUE 1\n#define CRL_PLACE_BITS %u\n",
            crl_bits_for(crl_built_places(config->params.queue.depth)));
}

static void describe_queue(const struct crl_sim_params *params, char *text, size_t size)
{
    snprintf(text, size, "queue control, %u ports, %u trees, %u classes", params->queue.ports, params->queue.trees,
             params->queue.classes);
}

/* ---- on-line routers ---- */

/* Bits of a digit, of at most 4096 nodes: every other side is two or more. */
static uint32_t digit_bits(const struct crl_sim_online *p) { return 13 - p->ports / 2; }

uint32_t crl_sim_online_link_bits(const struct crl_sim_online *p)
{
    const uint32_t dims = p->ports / 2, class = dims > 1 ? crl_bits_for(dims) : 1;

    return 32 + 2 * dims * digit_bits(p) + (p->control == CRL_SIM_ONLINE_EXCHANGE ? class : 0);
}

/* Bits of addresses of nodes, 4 bits a dimension: each has some, and together 15 at most. */
static bool are_sides(uint32_t sides, uint32_t dims)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < dims; k++) {
        if (!(sides >> 4 * k & 15)) return false;
        sum += sides >> 4 * k & 15;
    }
    return sum <= ONLINE_ADDRESS_BITS_MAX;
}

static bool valid_online(const struct crl_sim_params *params)
{
    const struct crl_sim_online *p = &params->online;

    return p->ports % 2 == 0 && within(p->ports, 2, 2 * ONLINE_DIMS_MAX) && within(p->registers, 1, TABLE_DEPTH_MAX) &&
           within(p->nodes, 1, ONLINE_NODES_MAX) && within(p->depth, 1, ONLINE_DEPTH_MAX) &&
           (p->control == CRL_SIM_ONLINE_EXCHANGE ? are_sides(p->sides, p->ports / 2)
                                                  : within(p->wait, 1, ONLINE_WAIT_MAX));
}

static struct crl_shape online_shape(const struct crl_sim_params *params)
{
    return (struct crl_shape){params->online.ports, 64, 32, params->online.registers, 1};
}

static const char *refuse_online(const struct crl_sim_config *config)
{
    if (config->tables != config->nodes || config->node_table || config->nodes > config->params.online.nodes)
        return "on-line routers have registers of their own, and no more nodes than built for";
    return refuse_alone(config);
}

static struct crl_values online_values(const struct crl_sim_config *config)
{
    const struct crl_sim_online *p = &config->params.online;

    return (struct crl_values){{
        {"Dims", p->ports / 2},
        {"DigitW", digit_bits(p)},
        {"DataW", 32},
        {"Depth", crl_built_places(p->depth)},
        {"SideBits", p->sides},
        {"Waiting", crl_built_places(p->wait)},
        {"Exchange", p->control == CRL_SIM_ONLINE_EXCHANGE},
    }};
}

static void define_online(const struct crl_sim_config *config, FILE *file)
{
    const struct crl_sim_online *p = &config->params.online;

    fprintf(file, "#define CRL_ONLINE %u\n#define CRL_ONLINE_DIGIT %u\n", (unsigned)p->control, digit_bits(p));
}

static void describe_online(const struct crl_sim_params *params, char *text, size_t size)
{
    snprintf(text, size, "on-line routers, %u ports", params->online.ports);
}

/* ---- the kinds ---- */

/* What a kind does, but for what is defined for its shim. */
#define DOES(of, define) valid_##of, of##_shape, refuse_##of, of##_values, define, describe_##of

static const struct crl_kind network = {
    "network",
    {{"crl_router", "Vcrl_router", "Ports Lanes Banks WriteXbar Delay WaddrField Combine DataW AddrW TableDepth Words"},
     {"crl_sequencer", "Vcrl_sequencer", "RowW TableDepth Words"}},
    {{"crl_fabric", "Vcrl_flat",
      "Ports SharedTable Lanes Banks WriteXbar Delay WaddrField Combine DataW AddrW TableDepth Words"}},
    DOES(network, NULL)};

static const struct crl_kind streams = {
    "streams",
    {{"crl_stream_node", "Vcrl_stream_node",
      "Ports Lanes Banks WriteXbar Delay WaddrField Store Combine DataW AddrW TableDepth Based"}},
    {{0}},
    DOES(network, define_streams)};

static const struct crl_kind cabled = {
    "cabled",
    {{"crl_stream_node", "Vcrl_stream_node",
      "Ports Lanes Banks WriteXbar Delay WaddrField Store Combine DataW AddrW TableDepth Based Expects"},
     {"crl_cable", "Vcrl_cable", "DataW Depth Silence Twice"}},
    {{0}},
    DOES(network, define_streams)};

static const struct crl_kind logp = {"logp",
                                     {{"crl_logp_node", "Vcrl_logp_node", "NodeW Stages DataW AddrW TableDepth Words"},
                                      {"crl_crossbar", "Vcrl_crossbar", "Ports LatencyMax DataW"}},
                                     {{0}},
                                     DOES(logp, define_logp)};

static const struct crl_kind queue = {
    "queue",
    {{"crl_queue_node", "Vcrl_queue_node", "Ports Trees Classes Loops Position Depth Units Period Counters"}},
    {{"crl_queue_fabric", "Vcrl_flat", "Ports Trees Classes Loops Position Depth Units Period Counters"}},
    valid_queue,
    queue_shape,
    refuse_alone,
    queue_values,
    define_queue,
    describe_queue};

static const struct crl_kind online[] = {
    {"broadcast",
     {{"crl_online_node", "Vcrl_online", "Dims DigitW DataW Depth Waiting"}},
     {{"crl_online_fabric", "Vcrl_flat", "Exchange Dims DigitW DataW Depth Waiting"}},
     DOES(online, define_online)},
    {"exchange",
     {{"crl_online_exchange", "Vcrl_online", "Dims DigitW DataW Depth SideBits"}},
     {{"crl_online_fabric", "Vcrl_flat", "Exchange Dims DigitW DataW Depth SideBits"}},
     DOES(online, define_online)},
};

const struct crl_kind *crl_kind(const struct crl_sim_params *params)
{
    switch (params->kind) {
    case CRL_SIM_NETWORK: return params->network.cables ? &cabled : params->network.streams ? &streams : &network;
    case CRL_SIM_LOGP: return &logp;
    case CRL_SIM_QUEUE: return &queue;
    case CRL_SIM_ONLINE: break;
    default: return NULL;
    }
    if (params->online.control < CRL_SIM_ONLINE_BROADCAST || params->online.control > CRL_SIM_ONLINE_EXCHANGE)
        return NULL;
    return &online[params->online.control - CRL_SIM_ONLINE_BROADCAST];
}

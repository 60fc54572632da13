// SPDX-License-Identifier: Apache-2.0
/*
 * What a compiled simulator (the shared object made from shim.cpp and the verilated RTL) offers to sim.c. It checks no
 * arguments: sim.c does. Everything is in bulk, because a call per port would cost more than the router.
 */
#ifndef CRL_SHIM_H
#define CRL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the one exported function. The library's key (build.c) says that it was made from this file. */
#define CRL_SHIM_ENTRY "crl_shim_entry"

struct crl_shim;

/* No node, end or board. */
#define CRL_SIM_NONE UINT32_MAX

/* A cable that carries nothing, or noise, from where the first of its boards begins a round. */
struct crl_sim_outage {
    uint32_t cable, round; /* from 0; from 1, 0: none */
    uint64_t after;        /* cycles of 0 ppm from there until it begins */
    uint64_t cycles;       /* of 0 ppm; 0: for good */
    bool noise;
};
enum { CRL_SIM_OUTAGES = 2 };

/*
 * Boards whose clocks are their own, with cables of rtl/board/crl_cable.sv between them. Cable i has ends 2i and 2i
 * + 1. Then a step is an edge of the next board's clock; reset, clear and loading are of all at once.
 */
struct crl_sim_boards {
    uint32_t boards, ends;
    const uint32_t *board;     /* [nodes] */
    const uint32_t *input;     /* [nodes][ports] the end whose words come in, or CRL_SIM_NONE */
    const uint32_t *end_board; /* [ends] */
    const uint32_t *delay;     /* [ends] cycles of 0 ppm that a flit takes at most to this end, 1...1000 */
    const uint32_t *gap;       /* [ends] cycles after which the end sends the next flit */
    const int32_t *ppm;        /* [boards] by how much a cycle is longer */
    uint64_t ahead;            /* steps by which a board may be ahead of the last one */
    uint64_t seed;             /* of phases and errors */
    double errors;             /* chance that a flit is damaged; lost; doubled */
    struct crl_sim_outage outage[CRL_SIM_OUTAGES];
    uint32_t rebooted, reboot_round; /* a board that is reset when it begins a round, and not started again; or NONE */
    uint32_t stranger;               /* a board whose cables are of another plan, or NONE */
};

struct crl_shim_setup {
    uint32_t nodes;
    uint32_t tables;
    uint32_t threads;                    /* >= 1 */
    const uint32_t *node_table;          /* [nodes] */
    const uint32_t *source;              /* [nodes][ports]; `nodes` where there is no neighbour */
    const uint32_t *lag;                 /* [nodes][ports] clocks that the words of each input wait; NULL: none do */
    uint32_t latency, op;                /* of a LogP machine */
    uint32_t period, limit;              /* queue control; the limit is that of a buffer in blocking mode */
    const char *wave_path;               /* NULL: none */
    const struct crl_sim_boards *boards; /* NULL: all nodes have one clock */
    void (*message)(void *user, const char *text);
    void *user;
};

/* Inputs of all sequencers and routers for one step. */
struct crl_shim_drive {
    bool reset;
    bool clear;
    bool start;
    uint32_t last_row;
    uint32_t last_page;
    uint32_t pace; /* of stream nodes: clocks from round to round */
    uint32_t base; /* and the row in which rounds begin */
};

/* kinds, ports and row of the first fault of a router; kinds = 1 and row of a sequencer with a parity fault. */
struct crl_shim_fault {
    uint32_t kinds;
    uint32_t ports;
    uint32_t row;
};

/* A slot of a network under queue control; the arrays are the caller's. */
struct crl_shim_slot {
    const uint32_t *own_node, *own_word; /* [own] own packets, those of a node in their order */
    size_t own;
    const uint8_t *stalled;     /* [nodes] or NULL */
    uint8_t *taken;             /* [own] or NULL */
    uint32_t *sent, *delivered; /* [nodes] masks of ports */
    uint32_t *word;             /* [nodes][ports], defined where sent */
    uint32_t *stored;           /* [nodes] */
    uint64_t dropped, strange;  /* since the start */
    uint64_t cycles;            /* clock edges it took */
};

/* Intervals of on-line routers, of what is on the links. */
struct crl_shim_interval {
    bool begins, counts, agree;
};

/* Streams of stream nodes; the arrays are the simulation's. A lane's stream is bit `lane`, or word [nodes][lanes]. */
struct crl_shim_streams {
    uint32_t lanes;
    uint32_t *offered; /* own words that are there for the next step; that of each, whether it is taken or not */
    uint64_t *own;
    const uint32_t *taken, *shown; /* own words that the last step took; words that it showed, and which */
    const uint64_t *word;
};

/* A board waits for an end of a cable, for a word or for room, so many of its cycles after so many steps. */
struct crl_shim_wait {
    uint64_t cycles, steps;
    uint32_t end;
};
enum { CRL_SHIM_OTHER_PLAN = 1, CRL_SHIM_RESET_ALONE = 2, CRL_SHIM_SILENT = 4 };

/* What boards did. */
struct crl_shim_boards {
    uint32_t clocked, stepped; /* the board of the last step; the same if it stepped with rounds begun, or NONE */
    bool mends;                /* a cable that carries nothing, or noise, will be good again */
    bool dead;                 /* one will not */
    const struct crl_shim_wait *now, *longest; /* [boards]; the longest from its second round on */
    const uint8_t *fault;                      /* [ends] mask of what it says of the other end */
    uint64_t stalls, repetitions;
    uint32_t peak;         /* words in a direction of a cable */
    double cycles_a_round; /* of the board with the slowest clock, between its second round and its last; 0: none */
};

struct crl_shim_ops {
    /* NULL when there is no memory. Nothing of setup is referenced afterwards but message and user. */
    struct crl_shim *(*create)(const struct crl_shim_setup *setup);
    void (*destroy)(struct crl_shim *shim);
    /* 0, or the errno with which the waves could not be written; finish ends them. */
    int (*wave_error)(struct crl_shim *shim);
    int (*finish)(struct crl_shim *shim);

    void (*step)(struct crl_shim *shim, const struct crl_shim_drive *drive);
    /* Clocks the sequencers alone, with row[t] (ceil(row bits / 8) bytes) written to the given address of table t. */
    void (*load)(struct crl_shim *shim, uint32_t address, const void *const *rows);
    /* The input of the next step: a word, or none; of inputs 0...count-1 of all nodes, or none (words NULL). */
    void (*force)(struct crl_shim *shim, uint32_t node, uint32_t port, bool valid, uint64_t word);
    void (*force_all)(struct crl_shim *shim, const uint64_t *words, size_t stride, uint32_t count);

    const uint32_t *(*valid)(struct crl_shim *shim);
    void (*data)(struct crl_shim *shim, uint64_t *data);
    const uint32_t *(*dest)(struct crl_shim *shim); /* of the words on a LogP machine; else NULL */
    bool (*busy)(struct crl_shim *shim);
    void (*slot)(struct crl_shim *shim, struct crl_shim_slot *slot); /* queue control; else nothing */
    struct crl_shim_streams *(*streams)(struct crl_shim *shim);      /* NULL: none */
    const struct crl_shim_boards *(*boards)(struct crl_shim *shim);  /* NULL: none */
    /* On-line routers: what a node holds; else it holds nothing. */
    bool (*held)(struct crl_shim *shim, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet);
    /* Intervals of on-line routers: a packet that a node is given in the next step, and what the nodes say. Else
     * nothing. */
    void (*give)(struct crl_shim *shim, uint32_t node, const uint32_t *packet);
    struct crl_shim_interval (*interval)(struct crl_shim *shim);
    struct crl_shim_fault (*node_fault)(struct crl_shim *shim, uint32_t node);
    struct crl_shim_fault (*table_fault)(struct crl_shim *shim, uint32_t table);
    /* NULL, or what the RTL printed when an assertion failed. */
    const char *(*failure)(struct crl_shim *shim);
};

const struct crl_shim_ops *crl_shim_entry(void);

#ifdef __cplusplus
}
#endif

#endif

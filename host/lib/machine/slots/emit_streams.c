// SPDX-License-Identifier: Apache-2.0
// What the streams of an emitted fabric carry: packets in order, for people and for the test bench.
#include "machine/slots/emission.h"
#include <stdlib.h>

struct lane lane_of(const struct part *part, bool in, uint32_t node, uint32_t stream)
{
    const uint32_t set = part->image->folded ? 0 : node;
    const struct crl_places *places = in ? &part->image->before[set] : &part->image->after[set];
    struct lane lane = {.place = crl_stream_place(places, stream, 0)};
    const struct crl_place *end = places->place + places->count;
    if (lane.place)
        while (lane.place + lane.count < end && lane.place[lane.count].bank == stream) lane.count++;
    return lane;
}

void name_of(const struct part *part, uint32_t node, const struct crl_place *place, uint32_t *origin, uint32_t *dest)
{
    *origin = place->origin;
    *dest = place->dest;
    if (part->image->folded) crl_packet_shift(part->problem, node, origin, dest);
}

uint32_t peer_of(const struct part *part, bool in, uint32_t node, const struct crl_place *place)
{
    uint32_t origin, dest;
    name_of(part, node, place, &origin, &dest);
    enum crl_naming naming = crl_problem_naming(part->problem);
    if (part->problem->demands) return origin;
    return in && crl_naming_is_pair(naming) ? crl_packet_dest(naming, dest) : origin;
}

uint32_t peer_bits(const struct emission *e)
{
    uint32_t most = e->part->image->nodes;
    for (uint32_t p = 0; p < e->parts; p++)
        if (e->part[p].problem->demands && e->part[p].problem->demands->count > most)
            most = e->part[p].problem->demands->count;
    return most > 1 ? crl_bits_for(most) : 1;
}

uint32_t most_of(const struct emission *e, bool in)
{
    uint32_t most = 1;
    for (uint32_t p = 0; p < e->parts; p++)
        for (uint32_t v = 0; v < e->nodes; v++)
            for (uint32_t j = 0; j < e->geometry.streams; j++) {
                struct lane lane = lane_of(&e->part[p], in, node_at(e, v), j);
                if (lane.count > most) most = lane.count;
            }
    return most;
}

static void list_stream(const struct emission *e, uint32_t op, bool in, uint32_t node, uint32_t stream, FILE *file)
{
    const struct part *part = &e->part[op];
    const struct lane lane = lane_of(part, in, node, stream);
    char text[CRL_PACKET_NAME];
    for (uint32_t i = 0; i < lane.count; i++) {
        uint32_t origin, dest;
        name_of(part, node, &lane.place[i], &origin, &dest);
        fprintf(file, "%u,%u,%s,%u,%s", node, stream, in ? "in" : "out", i,
                crl_problem_packet_name(part->problem, origin, dest, text));
        if (e->parts > 1) fprintf(file, ",%u", op);
        fputc('\n', file);
    }
}

int write_demands(struct emission *e)
{
    FILE *file = crl_folder_file(e->folder, "demands.csv", e->diag);
    return file ? crl_demands_write(e->part->problem->demands, file, e->diag) : CRL_ERR_IO;
}

int write_csv(struct emission *e)
{
    FILE *file = crl_folder_file(e->folder, "streams.csv", e->diag);
    if (!file) return CRL_ERR_IO;
    fprintf(file, "node,stream,direction,index,packet%s\n", e->parts > 1 ? ",op" : "");
    for (uint32_t op = 0; op < e->parts; op++)
        for (uint32_t v = 0; v < e->nodes; v++)
            for (uint32_t j = 0; j < e->geometry.streams; j++)
                for (int out = 0; out < 2; out++) list_stream(e, op, !out, node_at(e, v), j, file);
    return 0;
}

void numbers_begin(struct numbers *numbers, const char *name, uint32_t bits)
{
    *numbers = (struct numbers){.name = name, .bits = bits};
    numbers->memory = open_memstream(&numbers->text, &numbers->size);
}

static void end_block(struct numbers *n)
{
    const uint32_t digits = n->bits / 4,
                   held = n->count % NUMBERS_A_BLOCK ? n->count % NUMBERS_A_BLOCK : NUMBERS_A_BLOCK;
    fprintf(n->memory, "        %u: block = %u'h", (n->count - 1) / NUMBERS_A_BLOCK, held * n->bits);
    for (uint32_t i = held; i-- > 0;)
        fprintf(n->memory, "%0*llx%s", (int)digits, (unsigned long long)n->block[i], i ? "_" : ";\n");
}

void number_add(struct numbers *numbers, uint64_t number)
{
    numbers->block[numbers->count++ % NUMBERS_A_BLOCK] = number;
    if (numbers->memory && numbers->count % NUMBERS_A_BLOCK == 0) end_block(numbers);
}

void numbers_end(struct numbers *n, struct list *list)
{
    if (n->memory && n->count % NUMBERS_A_BLOCK) end_block(n);
    const bool good = n->memory && !fclose(n->memory);
    list_text(list, "\n  task fill_%s;", n->name);
    list_text(list, "    integer i;");
    list_text(list, "    reg [%u:0] block;", NUMBERS_A_BLOCK * n->bits - 1);
    list_text(list, "    for (i = 0; i < %u; i = i + 1) begin", n->count);
    list_text(list, "      if (i %% %u == 0) case (i / %u)", NUMBERS_A_BLOCK, NUMBERS_A_BLOCK);
    if (good) list_text(list, "%s        default: block = 'x;", n->text);
    else list->failed = true;
    list_text(list, "      endcase");
    list_text(list, "      %s[i] = block[%u:0];", n->name, n->bits - 1);
    list_text(list, "      block = block >> %u;", n->bits);
    list_text(list, "    end");
    list_text(list, "  endtask");
    free(n->text);
}

void put_bench(const struct emission *e, bool in, uint32_t most, struct list *list)
{
    const uint32_t streams = e->geometry.streams, all = e->nodes * streams;
    struct numbers numbers;
    numbers_begin(&numbers, in ? "feed" : "show", 32);
    for (uint32_t s = 0; s < e->parts * all; s++) {
        const struct part *part = &e->part[s / all];
        const uint32_t node = s % all / streams;
        const struct lane lane = lane_of(part, in, node, s % streams);
        for (uint32_t i = 0; i < most; i++) {
            uint32_t origin = 0, dest = 0;
            if (i < lane.count) name_of(part, node, &lane.place[i], &origin, &dest);
            number_add(&numbers, (uint32_t)(in && i < lane.count ? crl_payload_number(part->problem, node, origin, dest)
                                                                 : crl_problem_index(part->problem, origin, dest)));
        }
    }
    numbers_end(&numbers, list);
    numbers_begin(&numbers, in ? "feeds" : "shows", 32);
    for (uint32_t s = 0; s < e->parts * all; s++)
        number_add(&numbers, lane_of(&e->part[s / all], in, s % all / streams, s % streams).count);
    numbers_end(&numbers, list);
}

// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_BOARD_BOARD_H
#define CRL_BOARD_BOARD_H

#include "board/flash.h"
#include "board/kinds.h"
#include "board/link.h"
#include "trace/trace.h"

// ---------------------------------------------------------------- a board

struct crl_board;

// Opens the board of this kind (a name in the table; NULL: of any) and with this serial number (or at this place), or,
// with NULL, the only one there is. A board that looks like one of another make has its flash written only if its kind
// was named here, or a design of ours answers. The watch must stay alive. Interfaces are claimed when they are needed;
// crl_board_close gives all back as they were found.
int crl_board_open(struct crl_board **out, const char *kind, const char *serial, const struct crl_board_watch *watch,
                   struct crl_diag *diag);
void crl_board_close(struct crl_board *board);
const struct crl_board_found *crl_board_which(const struct crl_board *board);

// What a board says of a cable to another one.
enum { CRL_BOARD_CABLES = 4 };
struct crl_board_cable {
    bool up, silent, other /* plan */, reset /* one end alone */, waits, held;
    uint32_t repeats, damaged; // words sent again, flits
};

// What the design in the FPGA says of itself.
struct crl_board_state {
    const char *design; // name of its bitstream
    uint32_t gateware;  // 0x0100 = 1.0
    bool playing, ready /* a schedule is in use */, ended;
    uint32_t source;             // of the schedule in use: crl_board_source_text
    uint32_t bank[2];            // what was found there at power-up: crl_board_bank_text
    uint32_t adopted;            // crl_board_adopt_text
    uint32_t sequence, identity; // of the flash bank and of the image in use, 0 if none
    uint32_t rows, cycles, rounds;
    uint32_t link_errors, link_retries; // frames that the board dropped, and that were sent again
    uint32_t fault_nodes;               // a bit each
    struct {
        uint32_t kinds; // bits: missing, unexpected, overrun, parity, starved
        uint32_t ports, row, parity_row;
    } fault[16];
    uint32_t cables, row; // of boards with cables; the row that acts or waits
    struct crl_board_cable cable[CRL_BOARD_CABLES];
};
const char *crl_board_source_text(uint32_t source);
const char *crl_board_bank_text(uint32_t bank);
const char *crl_board_adopt_text(uint32_t adopted);
int crl_board_state(struct crl_board *board, struct crl_board_state *state, struct crl_diag *diag);

// The functions that take an image first check, before they change anything, that this board can play it
// (CRL_ERR_UNSUPPORTED says why not).

// Writes tables and packets through the link and puts them to use, until the board loses its power.
int crl_board_load(struct crl_board *board, const struct crl_image *image, const struct crl_problem *problem,
                   uint64_t seed, struct crl_diag *diag);

// Plays the image, which must be the one in use (else CRL_ERR_MISMATCH): fills the packet memories, starts, waits,
// reads trace and memories back; for packets of several words once a word. `rounds` is 1; 0 starts with the first word
// and returns while the board plays on, until it is reset.
int crl_board_play(struct crl_board *board, const struct crl_image *image, const struct crl_problem *problem,
                   uint64_t seed, uint32_t rounds, struct crl_diag *diag);
// What was read back by the last crl_board_play: the trace as a player, and the words of the memories that the image
// names (of `count` nodes; bank 0; page w has word w).
struct crl_player crl_board_player(struct crl_board *board);
void crl_board_memory(void *board, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                      uint64_t *words);
// Reads the packet memories as they are. *words is [*nodes][*depth]; the caller frees.
int crl_board_read(struct crl_board *board, uint16_t **words, uint32_t *nodes, uint32_t *depth, struct crl_diag *diag);

// Writes the image into the flash bank that is not in use, while the board plays on if its design is one of ours.
struct crl_board_stored {
    int bank;
    uint32_t sequence;
    bool in_place; // the FPGA was not stopped
};
int crl_board_flash(struct crl_board *board, const struct crl_image *image, const struct crl_problem *problem,
                    uint64_t seed, struct crl_board_stored *stored, struct crl_diag *diag);
// Writes the FPGA's bitstream to the start of the flash and restarts the FPGA. Whether the bytes look like a bitstream
// for this board is checked first.
int crl_board_flash_bitstream(struct crl_board *board, const uint8_t *bytes, size_t count, struct crl_diag *diag);
bool crl_board_is_bitstream(const uint8_t *bytes, size_t count);

// Writes the table memory of the board that plays networks like the image's, as lines of hexadecimal digits in the form
// that scripts/bake puts into a bitstream (docs/formats/board.md). CRL_ERR_UNSUPPORTED: no board can play the image.
int crl_board_tables(const struct crl_image *image, FILE *out, struct crl_diag *diag);

// What a board tells of the image it has: the CRC-32 of the CRCs of the image file's sections.
int crl_board_identity(const struct crl_image *image, uint32_t *identity, struct crl_diag *diag);
// Keeps an image in the context's cache, where crl_board_recall finds it by the identity that a board tells. A
// convenience: nothing is reported if it fails. The caller closes the file, and checks the identity of what it reads.
void crl_board_remember(const struct crl_context *context, const struct crl_image *image);
FILE *crl_board_recall(const struct crl_context *context, uint32_t identity);

// Where the board has the image.
struct crl_board_verified {
    bool in_use;   // the tables that it plays are those of the image, word for word
    bool in_flash; // the newest good bank holds it, byte for byte
    bool looked;   // the design answers, so that in_use could be found out
    int bank;      // the newest good bank, -1: none
};
int crl_board_verify(struct crl_board *board, const struct crl_image *image, const struct crl_problem *problem,
                     uint64_t seed, struct crl_board_verified *verified, struct crl_diag *diag);

// Restarts the FPGA as at power-up and waits until its design answers.
int crl_board_reset(struct crl_board *board, struct crl_diag *diag);

struct crl_board {
    struct crl_usb usb;
    struct crl_board_found found;
    const struct crl_board_watch *watch;
    struct crl_pipe *uart;                 // claimed at the first use
    bool kind_named;                       // by the caller; else it is what the USB name says
    bool connected;                        // a design that fits answers
    const struct crl_board_design *design; // that one
    struct crl_link link;
    uint32_t patience_ms; // for what the board does in no time
    // What the last play left.
    uint32_t rows, words, step;
    uint32_t *valid;  // [words][rows][nodes]
    uint64_t *data;   // [words][rows][nodes][ports]
    uint16_t *memory; // [words][nodes][CRL_BOARD_ADDRS]
};

// Takes the serial link, so that no other program has it, and says nothing on it; nothing when it is taken already.
int crl_board_claim(struct crl_board *board, struct crl_diag *diag);
// Connects, and sees to it that this design is there; NULL: one of slot tables. Else CRL_ERR_DEVICE.
int crl_board_needs(struct crl_board *board, const struct crl_board_design *design, struct crl_diag *diag);
// Finds the design behind the link, and that it fits the board and this program. Waits until its loader is at rest.
int crl_board_connect(struct crl_board *board, struct crl_diag *diag);
// The same, but that there is none is no error: *present says.
int crl_board_look(struct crl_board *board, bool *present, struct crl_diag *diag);
// Starts a play, ROUNDS of what the board has. A start whose reply got lost is not given again if the board plays, or
// has.
int crl_board_start(struct crl_board *board, struct crl_diag *diag);
// Sets a bit of CONTROL, for what is being done.
int crl_board_control(struct crl_board *board, enum crl_control_bit bit, const char *doing, struct crl_diag *diag);
// Waits until the bits of STATUS in `mask` are as in `value`.
int crl_board_wait(struct crl_board *board, uint16_t mask, uint16_t value, const char *doing, struct crl_diag *diag);

#endif

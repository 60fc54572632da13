// SPDX-License-Identifier: Apache-2.0
// What every form of image file shares: little-endian 32-bit words, a header, sections with their length and CRC-32,
// and the CRC-32 of all that comes before it. docs/formats/image.md.
#ifndef CRL_CONTAINER_H
#define CRL_CONTAINER_H

#include "base/base.h"

// An image file holds tables of one of these forms.
enum crl_image_form {
    CRL_FORM_SLOTS,  // struct crl_image: slot tables of a link topology
    CRL_FORM_QUEUES, // forwarding tables and gates
    CRL_FORM_LOGP,   // rows of a LogP machine
};

// Whether words of that many bits can be played.
bool crl_is_data_width(uint32_t bits);

// The bytes of an image file whose magic, version and CRC are right; what they hold is read by the form's own parser.
struct crl_container {
    enum crl_image_form form;
    uint32_t sections;
    uint8_t *bytes; // owned
    size_t count;
    char name[256]; // for messages
};
// Fails with CRL_ERR_PARSE or CRL_ERR_IO and leaves *container empty.
int crl_container_read(struct crl_container *container, FILE *file, const char *name, struct crl_diag *diag);
void crl_container_done(struct crl_container *container);

// ---- writing: a failure is kept in `failed` and reported by crl_container_write.

struct crl_bytes {
    uint8_t *bytes; // owned
    size_t used, capacity;
    bool failed;
};
void crl_put(struct crl_bytes *bytes, uint32_t word);
void crl_put_bytes(struct crl_bytes *bytes, const void *from, size_t count);
void crl_put_words(struct crl_bytes *bytes, const uint32_t *words, size_t count);
// `text` (shorter than `size`) in a field of `size` ≤ 128 bytes, padded with zeros.
void crl_put_text(struct crl_bytes *bytes, const char *text, size_t size);
// Appends `body` as a section and empties it.
void crl_put_section(struct crl_bytes *file, uint32_t id, struct crl_bytes *body);
void crl_put_header(struct crl_bytes *file, enum crl_image_form form, uint32_t sections);
// Adds the CRC, writes and frees `file`; frees `body`, too.
int crl_container_write(struct crl_bytes *file, struct crl_bytes *body, FILE *to, struct crl_diag *diag);

// ---- reading: nothing in the file is believed before it is checked. After the first error all reads return 0.

struct crl_cursor {
    const uint8_t *bytes; // not owned
    size_t used, count;
    const char *name;
    struct crl_diag *diag;
    int error;
};
// At the first section of a container that crl_container_read accepted.
struct crl_cursor crl_container_open(const struct crl_container *container, struct crl_diag *diag);
int crl_bad(struct crl_cursor *cursor, const char *text);
uint32_t crl_get(struct crl_cursor *cursor);
void crl_get_words(struct crl_cursor *cursor, uint32_t *words, size_t count);
void crl_get_bytes(struct crl_cursor *cursor, void *to, size_t count);
void crl_get_text(struct crl_cursor *cursor, char *text, size_t size);
// Opens section `id` as a cursor of its own after checking its CRC; closes it, which demands that all was read.
struct crl_cursor crl_get_section(struct crl_cursor *cursor, uint32_t id);
void crl_end_section(struct crl_cursor *cursor, struct crl_cursor *body);
// A zeroed array of `count` elements of `size` bytes for which the body must still hold `bytes_each` bytes each.
void *crl_get_array(struct crl_cursor *body, uint64_t count, size_t size, size_t bytes_each);
// Demands that nothing follows the last section; returns the first error.
int crl_container_end(struct crl_cursor *cursor);

#endif

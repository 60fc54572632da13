// SPDX-License-Identifier: Apache-2.0
#include "flash_array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PRE_PROGRAM_UNITS = 5 }; /* of an erase, which clears all bits first and then sets them */

static uint64_t next_random(struct crl_vflash_array *array)
{
    /* xorshift64* (Vigna 2016) */
    array->random ^= array->random >> 12;
    array->random ^= array->random << 25;
    array->random ^= array->random >> 27;
    return array->random * UINT64_C(2685821657736338717);
}

/* Each bit is set with probability n / of. */
static uint8_t random_mask(struct crl_vflash_array *array, unsigned n, unsigned of)
{
    uint8_t mask = 0;

    for (int bit = 0; bit < 8; bit++) mask |= (uint8_t)((next_random(array) % of < n) << bit);
    return mask;
}

static void store(struct crl_vflash_array *array, uint32_t at, uint8_t byte)
{
    if (array->faults.stuck_bit && at == array->faults.stuck_at)
        byte = (uint8_t)((byte & ~array->faults.stuck_mask) | array->faults.stuck_value);
    array->byte[at] = byte;
}

/* One more unit of work: false when the power goes before it. */
static bool powered(struct crl_vflash_array *array)
{
    if (array->dead) return false;
    if (array->faults.power_cut && array->counts.units >= array->faults.cut_at) {
        array->dead = true;
        return false;
    }
    array->counts.units++;
    return true;
}

void crl_vflash_array_program(struct crl_vflash_array *array, uint32_t at, uint8_t byte)
{
    const uint8_t old = array->byte[at];

    if (array->dead) return;
    if (!powered(array)) {
        store(array, at, old & (byte | random_mask(array, 1, 2)));
        return;
    }
    array->counts.programmed_bytes++;
    if (array->faults.ignore_writes) return;
    if (array->faults.flip_write && array->counts.programmed_bytes % array->faults.flip_write == 0)
        byte ^= (uint8_t)(1u << next_random(array) % 8);
    store(array, at, old & byte);
}

/* Erasing first clears what is set and then sets all: cut short, a sector may hold anything between. */
void crl_vflash_array_erase(struct crl_vflash_array *array, uint32_t at)
{
    unsigned done;

    if (array->dead) return;
    for (done = 0; done < CRL_VFLASH_ERASE_UNITS && powered(array); done++) {
    }
    if (array->faults.ignore_writes || !done) return;
    for (uint32_t i = at; i < at + CRL_VFLASH_SECTOR; i++) {
        if (done == CRL_VFLASH_ERASE_UNITS) store(array, i, 0xFF);
        else if (done <= PRE_PROGRAM_UNITS)
            store(array, i, array->byte[i] & (uint8_t)~random_mask(array, done, PRE_PROGRAM_UNITS));
        else store(array, i, random_mask(array, done - PRE_PROGRAM_UNITS, CRL_VFLASH_ERASE_UNITS - PRE_PROGRAM_UNITS));
    }
    if (done == CRL_VFLASH_ERASE_UNITS) array->counts.erased_sectors++;
}

uint8_t crl_vflash_array_read(struct crl_vflash_array *array, uint32_t at)
{
    uint8_t byte = array->byte[at];

    array->counts.read_bytes++;
    if (array->faults.flip_read && array->counts.read_bytes % array->faults.flip_read == 0)
        byte ^= (uint8_t)(1u << next_random(array) % 8);
    return byte;
}

void crl_vflash_array_set_faults(struct crl_vflash_array *array, const struct crl_vflash_faults *faults)
{
    array->faults = *faults;
    if (faults->stuck_bit && faults->stuck_at < array->size)
        store(array, faults->stuck_at, array->byte[faults->stuck_at]);
}

static uint8_t *map(const char *path, size_t bytes)
{
    struct stat st;
    uint8_t *array;
    off_t old;
    int fd;

    if (!path) {
        array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (array == MAP_FAILED) return NULL;
        memset(array, 0xFF, bytes);
        return array;
    }
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return NULL;
    if (fstat(fd, &st)) goto fail;
    old = st.st_size;
    if ((size_t)old > bytes) {
        errno = EFBIG;
        goto fail;
    }
    if (ftruncate(fd, (off_t)bytes)) goto fail;
    array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (array == MAP_FAILED) goto fail;
    close(fd);
    memset(array + old, 0xFF, bytes - (size_t)old);
    return array;
fail:
    close(fd);
    return NULL;
}

int crl_vflash_array_open(struct crl_vflash_array *array, const char *path, size_t size, uint64_t seed)
{
    *array = (struct crl_vflash_array){.byte = map(path, size), .size = size, .random = seed * 2 + 1};
    return array->byte ? 0 : -1;
}

void crl_vflash_array_close(struct crl_vflash_array *array) { munmap(array->byte, array->size); }

// SPDX-License-Identifier: Apache-2.0
// Carillon: optimal collective communication as slot tables. Public interface of the library, a section a stage.
//
// The library never prints, never exits and keeps no globals. Functions that can fail return 0 or a negative CRL_ERR_*
// and describe the failure in a struct crl_diag (which may be NULL). What a function hands out as **out is freed with
// the function of the same noun. Nodes, ports and packets count from 0, slots from 1.
#ifndef CARILLON_H
#define CARILLON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRL_VERSION "0.1.0"
#define CRL_NONE    UINT32_MAX

// What the shared library exports.
#if defined(__GNUC__)
#define CRL_PUBLIC __attribute__((visibility("default")))
#else
#define CRL_PUBLIC
#endif

// ---------------------------------------------------------------- errors

// Pinned values: programs may compare them.
enum crl_error {
    CRL_OK = 0,
    CRL_ERR_ARGUMENT = -1,     // an option or name makes no sense
    CRL_ERR_PARSE = -2,        // a text or file does not parse, or its CRC is wrong
    CRL_ERR_IO = -3,           // the operating system refused
    CRL_ERR_MEMORY = -4,       // out of memory
    CRL_ERR_RULE = -5,         // a schedule breaks a rule
    CRL_ERR_UNSUPPORTED = -6,  // no algorithm, or no hardware form, for this
    CRL_ERR_LIMIT = -7,        // too large to represent
    CRL_ERR_MISMATCH = -8,     // traces or results differ
    CRL_ERR_TOOL = -9,         // an outside tool is missing or failed
    CRL_ERR_DEVICE = -10,      // there is no board, or it does not do what it should
    CRL_ERR_INTERRUPTED = -11, // the caller's watch wanted to stop
    CRL_ERR_BUILD = -12,       // an outside tool refused what a simulator is compiled from
    CRL_ERR_LOAD = -13,        // a compiled simulator cannot be loaded
    CRL_ERR_BUSY = -14,        // not while rows are being played
    CRL_ERR_ASSERT = -15,      // an assertion of the RTL failed
};

// Where and what went wrong. `line` and `col` count from 1; 0 means unknown.
struct crl_diag {
    char file[256];
    uint64_t line, col;
    char text[512];
};

// Fills *diag (if any) and returns `code`, so that callers can write `return crl_fail(…)`.
CRL_PUBLIC int crl_fail(struct crl_diag *diag, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
CRL_PUBLIC int crl_fail_at(struct crl_diag *diag, int code, const char *file, uint64_t line, uint64_t col,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));

#ifdef __cplusplus
}
#endif
#endif

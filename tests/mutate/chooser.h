// SPDX-License-Identifier: Apache-2.0
// What the copies of sources that hold all mutants see (software.py).
#ifndef CHOOSER_H
#define CHOOSER_H

enum { CRL_MUTANTS = 1 << 16 };

extern int crl_mutant;
extern unsigned char *crl_reached;

#define CRL_CHOSEN(n) (crl_reached[n] = 1, crl_mutant == (n))

#endif

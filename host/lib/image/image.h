// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_IMAGE_H
#define CRL_IMAGE_H

#include <carillon/carillon.h>

// Whether every number of an image is possible and in range; what a reader of untrusted bytes relies on.
int crl_image_validate(const struct crl_image *image, const char *name, struct crl_diag *diag);

#endif

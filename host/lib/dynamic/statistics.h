// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_STATISTICS_H
#define CRL_STATISTICS_H

#include "dynamic/dynamic.h"

// Mean of `count` batch means and the half width of its 95% interval (Student's t); NAN for fewer than two.
struct crl_estimate crl_batch_means(const double *mean, uint32_t count);

// Whether a series of batch means grows beyond doubt: the slope of its regression line is more than four standard
// errors above 0, these corrected for the correlation of neighbours, and the line rises by more than a tenth of the
// mean.
bool crl_series_grows(const double *mean, uint32_t count);

#endif

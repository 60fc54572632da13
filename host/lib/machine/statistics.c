// SPDX-License-Identifier: Apache-2.0
#include "machine/traffic.h"
#include <math.h>

// The 97.5% point of Student's t by the expansion of Cornish and Fisher; within 0.3% from 3 degrees of freedom on.
static double student(uint32_t freedom)
{
    static const double exact[] = {0, 12.706, 4.303};
    if (freedom < 3) return exact[freedom];
    double z = 1.959964, n = freedom, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct crl_estimate crl_batch_means(const double *mean, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) sum += mean[i];
    double average = sum / count;
    for (uint32_t i = 0; i < count; i++) squares += (mean[i] - average) * (mean[i] - average);
    if (count < 2) return (struct crl_estimate){average, NAN};
    return (struct crl_estimate){average, student(count - 1) * sqrt(squares / (count - 1) / count)};
}

bool crl_series_grows(const double *mean, uint32_t count)
{
    if (count < 8) return false;
    double n = count, middle = (n - 1) / 2, average = 0, spread = n * (n * n - 1) / 12, slope = 0;
    for (uint32_t i = 0; i < count; i++) average += mean[i] / n;
    for (uint32_t i = 0; i < count; i++) slope += (i - middle) * (mean[i] - average) / spread;
    double squares = 0, products = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        double residue = mean[i] - average - slope * (i - middle);
        squares += residue * residue;
        products += i ? residue * last : 0;
        last = residue;
    }
    // A first-order autoregression widens the error by (1 + r)/(1 − r).
    double r = squares > 0 ? fmin(fmax(products / squares, 0), 0.8) : 0;
    double error = sqrt(squares / (n - 2) / spread * (1 + r) / (1 - r));
    return slope > 4 * error && slope * n > 0.1 * average;
}

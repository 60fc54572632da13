// SPDX-License-Identifier: Apache-2.0
// The model of queue control for tables of one class and one gate row that is always open: the same thing, faster.
#ifndef CRL_LIST_MODEL_H
#define CRL_LIST_MODEL_H

#include "machine/queue/queue.h"

bool crl_list_model_fits(const struct crl_queue_tables *tables);
struct crl_list_model;
// As crl_queue_model_new and so on.
int crl_list_model_new(struct crl_list_model **out, const struct crl_queue_tables *tables, uint32_t depth,
                       struct crl_diag *diag);
void crl_list_model_free(struct crl_list_model *model);
struct crl_queue_engine crl_list_model_engine(struct crl_list_model *model);

#endif

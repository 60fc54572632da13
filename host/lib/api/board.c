// SPDX-License-Identifier: Apache-2.0
// Boards that are attached, of the machine whose tables they hold.
#include "api/machine.h"

static const struct crl_boards_kind *boards(void)
{
    const struct crl_machine *const *m = crl_machines;
    while (!(*m)->boards) m++;
    return (*m)->boards;
}

bool carillon_board_action_at(size_t index, struct carillon_board_action *action)
{
    return boards()->action_at(index, action);
}

int carillon_board(const char *name, const struct crl_context *context, const struct carillon_options *options,
                   FILE *file, const char *file_name, FILE *memories, char **json, struct crl_diag *diag)
{
    struct carillon_options own;
    *json = NULL;
    int error = crl_options_take(&own, options, diag);
    if (error) return error;
    json_t *summary = json_object();
    error = boards()->act(name, context, &own, file, file_name, memories, summary, diag);
    if (json_object_size(summary)) crl_json_text(summary, json, NULL);
    else json_decref(summary);
    return error;
}

int carillon_board_image(struct carillon_image **out, const struct crl_context *context,
                         const struct carillon_options *options, FILE *file, const char *name, struct crl_diag *diag)
{
    struct carillon_options own;
    *out = NULL;
    int error = crl_options_take(&own, options, diag);
    return error ? error : boards()->image(out, context, &own, file, name, diag);
}

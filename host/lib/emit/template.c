// SPDX-License-Identifier: Apache-2.0
// Files from templates.
#include "emit/emit.h"
#include <string.h>

static const char *value_of(const struct crl_blank *blanks, const char *key, size_t length)
{
    for (; blanks->key; blanks++)
        if (strlen(blanks->key) == length && !strncmp(blanks->key, key, length))
            return blanks->value ? blanks->value : "";
    return NULL;
}

// A line, without its condition if it has one. Returns its end, or NULL after a key that nobody knows.
static const char *write_line(const char *line, const struct crl_blank *blanks, FILE *file, struct crl_diag *diag)
{
    const char *end = strchr(line, '\n');
    end = end ? end + 1 : line + strlen(line);
    if (!strncmp(line, "@if ", 4)) {
        const char *key = line + 4;
        size_t length = strcspn(key, " \n");
        const char *value = value_of(blanks, key, length);
        if (!value || !*value) return end;
        line = key + length + (key[length] == ' ');
    }
    while (line < end) {
        size_t plain = strcspn(line, "@");
        if (plain >= (size_t)(end - line)) plain = (size_t)(end - line);
        fwrite(line, 1, plain, file);
        line += plain;
        if (line == end) break;
        size_t length = strspn(line + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (!length || line[1 + length] != '@') { // not a key
            fputc(*line++, file);
            continue;
        }
        const char *value = value_of(blanks, line + 1, length);
        if (!value) {
            crl_fail(diag, CRL_ERR_ARGUMENT, "a template asks for '%.*s', which nobody knows", (int)length, line + 1);
            return NULL;
        }
        fputs(value, file);
        line += length + 2;
    }
    return end;
}

int crl_emit_template(struct crl_folder *folder, const char *name, const char *from, const struct crl_blank *blanks,
                      struct crl_diag *diag)
{
    const struct crl_template *t = crl_templates;
    while (t->name && strcmp(t->name, from)) t++;
    if (!t->name) return crl_fail(diag, CRL_ERR_ARGUMENT, "there is no template '%s'", from);
    FILE *file = crl_folder_file(folder, name, diag);
    if (!file) return CRL_ERR_IO;
    for (const char *line = t->text; *line;)
        if (!(line = write_line(line, blanks, file, diag))) return CRL_ERR_ARGUMENT;
    return 0;
}

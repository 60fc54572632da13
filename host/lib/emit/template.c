// SPDX-License-Identifier: Apache-2.0
// Files from templates.
#include "emit/emit.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const struct crl_blank *blanks, const char *key, size_t length)
{
    for (; blanks->key; blanks++)
        if (strlen(blanks->key) == length && !strncmp(blanks->key, key, length))
            return blanks->value ? blanks->value : "";
    return NULL;
}

static int render(const char *from, const struct crl_blank *blanks, FILE *file, struct crl_diag *diag);

// A line, without its condition if it has one, or a template that it names. Returns its end, or NULL after a key that
// nobody knows.
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
    if (!strncmp(line, "@include ", 9)) {
        char from[32];
        snprintf(from, sizeof from, "%.*s", (int)strcspn(line + 9, "\n"), line + 9);
        return render(from, blanks, file, diag) ? NULL : end;
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

static int render(const char *from, const struct crl_blank *blanks, FILE *file, struct crl_diag *diag)
{
    const struct crl_template *t = crl_templates;
    while (t->name && strcmp(t->name, from)) t++;
    if (!t->name) return crl_fail(diag, CRL_ERR_ARGUMENT, "there is no template '%s'", from);
    for (const char *line = t->text; *line;)
        if (!(line = write_line(line, blanks, file, diag))) return CRL_ERR_ARGUMENT;
    return 0;
}

int crl_emit_template(struct crl_folder *folder, const char *name, const char *from, const struct crl_blank *blanks,
                      struct crl_diag *diag)
{
    FILE *file = crl_folder_file(folder, name, diag);
    return file ? render(from, blanks, file, diag) : CRL_ERR_IO;
}

// Whether SystemVerilog text has an identifier, outside of comments and strings.
static bool has_identifier(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *c = text; *c;) {
        if (c[0] == '/' && c[1] == '/') c += strcspn(c, "\n");
        if (*c == '"') c += 1 + strcspn(c + 1, "\"");
        size_t word = 0;
        while (isalnum((unsigned char)c[word]) || c[word] == '_') word++;
        if (word == length && !strncmp(c, name, length)) return true;
        if (*c) c += word ? word : 1;
    }
    return false;
}

int crl_emit_template_has(const char *from, const struct crl_blank *blanks, const char *name, bool *has,
                          struct crl_diag *diag)
{
    CRL_OWNED char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return crl_fail_memory(diag);
    int error = render(from, blanks, memory, diag);
    if (fclose(memory) && !error) error = crl_fail_memory(diag);
    if (!error) *has = has_identifier(text, name);
    return error;
}

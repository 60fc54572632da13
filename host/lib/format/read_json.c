// SPDX-License-Identifier: Apache-2.0
// JSON by Jansson, which says where it does not parse; where a value stands that makes no sense is found here, by going
// through the text once more.
#include "base/base.h"
#include "format/program.h"
#include <stdarg.h>
#include <string.h>

// ---- where a value stands; the text has parsed, so it is well formed

static const char *blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

static const char *behind_string(const char *p)
{
    for (p++; *p != '"'; p++)
        if (*p == '\\') p++;
    return p + 1;
}

// Behind the value that begins at `p`.
static const char *behind(const char *p)
{
    size_t depth = 0;
    do {
        p = blanks(p);
        if (*p == '"') {
            p = behind_string(p);
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else if (*p == '}' || *p == ']') {
            depth--;
            p++;
        } else if (*p == ',' || *p == ':') {
            p++;
        } else {
            p += strcspn(p, ",:]} \t\r\n");
        }
    } while (depth);
    return p;
}

static bool is_key(const char *p, const char *key)
{
    json_t *text = json_loadb(p, (size_t)(behind_string(p) - p), JSON_DECODE_ANY, NULL);
    bool same = text && !strcmp(json_string_value(text), key);
    json_decref(text);
    return same;
}

// Where a value begins.
static const char *find(const struct crl_json *at)
{
    if (at->place) return at->place;
    const char *p = find(at->up) + 1;
    for (size_t i = 0;; i++) {
        p = blanks(p);
        if (at->key) {
            bool mine = is_key(p, at->key);
            p = blanks(behind_string(p)) + 1;
            if (mine) return blanks(p);
        } else if (i == at->index) return p;
        p = blanks(behind(p)) + 1;
    }
}

// Places mostly come in order, so lines are counted on from the last one.
static void count_to(struct crl_json_text *in, size_t offset)
{
    if (offset < in->counted || !in->line) {
        in->counted = 0;
        in->line = in->col = 1;
    }
    for (; in->counted < offset; in->counted++) {
        in->col++;
        if (in->text[in->counted] != '\n') continue;
        in->line++;
        in->col = 1;
    }
}

void crl_json_where(const struct crl_json *at, uint64_t *line, uint64_t *col)
{
    count_to(at->in, (size_t)(find(at) - at->in->text));
    *line = at->in->line;
    *col = at->in->col;
}

int crl_json_fail(const struct crl_json *at, struct crl_diag *diag, const char *format, ...)
{
    uint64_t line, col;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    crl_json_where(at, &line, &col);
    return crl_fail_at(diag, CRL_ERR_PARSE, at->in->file, line, col, "%s", text);
}

// ---- values

int crl_json_read(struct crl_json *whole, struct crl_json_text *in, size_t *at, struct crl_diag *diag)
{
    json_error_t where;
    *whole = (struct crl_json){.in = in, .place = blanks(in->text + *at)};
    whole->value =
        json_loadb(in->text + *at, in->length - *at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &where);
    if (whole->value) {
        *at = (size_t)(blanks(in->text + *at + where.position) - in->text);
        return 0;
    }
    size_t offset = *at + (where.position > 0 ? (size_t)where.position - 1 : 0);
    count_to(in, offset < in->length ? offset : in->length);
    return crl_fail_at(diag, CRL_ERR_PARSE, in->file, in->line, in->col, "%s", where.text);
}

static const char *kind(json_type type)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",       [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
        [JSON_INTEGER] = "a whole number", [JSON_REAL] = "a number", [JSON_TRUE] = "true or false",
        [JSON_FALSE] = "true or false"};
    return names[type];
}

static bool is_kind(const json_t *value, json_type type)
{
    return json_typeof(value) == type || (type == JSON_TRUE && json_is_boolean(value));
}

int crl_json_member(struct crl_json *member, const struct crl_json *of, const char *key, json_type type, bool optional,
                    struct crl_diag *diag)
{
    *member = (struct crl_json){.in = of->in, .up = of, .key = key, .value = json_object_get(of->value, key)};
    if (!member->value) return optional ? 0 : crl_json_fail(of, diag, "here \"%s\" is missing", key);
    return is_kind(member->value, type) ? 0 : crl_json_fail(member, diag, "\"%s\" is not %s", key, kind(type));
}

static int look_at_item(const struct crl_json *item, size_t index, json_type type, struct crl_diag *diag)
{
    if (!item->value) return crl_json_fail(item->up, diag, "this list has no item %zu", index);
    return is_kind(item->value, type) ? 0 : crl_json_fail(item, diag, "this is not %s", kind(type));
}

int crl_json_item(struct crl_json *item, const struct crl_json *of, size_t index, json_type type, struct crl_diag *diag)
{
    *item = (struct crl_json){.in = of->in, .up = of, .index = index, .value = json_array_get(of->value, index)};
    return look_at_item(item, index, type, diag);
}

int crl_json_each(struct crl_json *item, const struct crl_json *of, size_t index, json_type type, struct crl_diag *diag)
{
    const char *place = index ? blanks(behind(item->place)) + 1 : find(of) + 1;
    *item = (struct crl_json){.in = of->in, .up = of, .index = index, .value = json_array_get(of->value, index)};
    item->place = blanks(place);
    return look_at_item(item, index, type, diag);
}

int crl_json_whole(const struct crl_json *of, const char *key, uint32_t most, uint32_t *number, struct crl_diag *diag)
{
    struct crl_json member;
    int error = crl_json_member(&member, of, key, JSON_INTEGER, false, diag);
    if (error) return error;
    json_int_t value = json_integer_value(member.value);
    if (value < 0 || value > most)
        return crl_json_fail(&member, diag, "\"%s\" is 0 to %u, not '%lld'", key, most, (long long)value);
    *number = (uint32_t)value;
    return 0;
}

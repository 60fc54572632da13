// SPDX-License-Identifier: Apache-2.0
// XML, by Expat: tags with their places in the file.
#include "base/base.h"
#include "format/program.h"
#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef XML_ATTR_DEPRECATED // newer Expats count in 64 bits, under other names
#define XML_GetCurrentLineNumber   XML_GetCurrentLineNumber64
#define XML_GetCurrentColumnNumber XML_GetCurrentColumnNumber64
#endif

int crl_xml_fail(struct crl_xml *x, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return crl_fail_at(x->diag, CRL_ERR_PARSE, x->file, x->line, x->col, "%s", text);
}

static void locate(struct crl_xml *x)
{
    x->line = XML_GetCurrentLineNumber(x->parser);
    x->col = XML_GetCurrentColumnNumber(x->parser) + 1;
}

static void open_tag(void *user, const char *tag, const char **attributes)
{
    struct crl_xml *x = user;
    if (x->error) return;
    locate(x);
    x->error = x->open(x, tag, attributes, ++x->depth);
    if (x->error) XML_StopParser(x->parser, XML_FALSE);
}

static void close_tag(void *user, const char *tag)
{
    struct crl_xml *x = user;
    if (x->error) return;
    locate(x);
    if (x->close) x->error = x->close(x, tag, x->depth);
    x->depth--;
    if (x->error) XML_StopParser(x->parser, XML_FALSE);
}

int crl_xml_read(struct crl_xml *x, const char *text, size_t length)
{
    x->parser = XML_ParserCreate(NULL);
    if (!x->parser) return crl_fail_memory(x->diag);
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, open_tag, close_tag);
    if (length > INT_MAX) x->error = crl_fail_at(x->diag, CRL_ERR_LIMIT, x->file, 1, 1, "more than 2 GB");
    else if (XML_Parse(x->parser, text, (int)length, 1) != XML_STATUS_OK && !x->error) {
        locate(x);
        x->error = crl_xml_fail(x, "%s", XML_ErrorString(XML_GetErrorCode(x->parser)));
    }
    XML_ParserFree(x->parser);
    return x->error;
}

const char *crl_xml_text(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (!strcmp(attributes[0], name)) return attributes[1];
    return NULL;
}

int crl_xml_number(struct crl_xml *x, const char *tag, const char **attributes, const char *name, bool optional,
                   int64_t least, int64_t most, int64_t *value)
{
    const char *text = crl_xml_text(attributes, name);
    char *end;
    if (!text && optional) return 0;
    if (!text) return crl_xml_fail(x, "<%s> has no attribute '%s'", tag, name);
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (!*text || *end || errno || strspn(text, " \t\n+") || *value < least || *value > most)
        return crl_xml_fail(x, "attribute '%s' of <%s> is a whole number from %lld to %lld, not '%.40s'", name, tag,
                            (long long)least, (long long)most, text);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// carillon --print: man page and completion, made from the tables that the program itself works by.
#include "cli.h"
#include <ctype.h>
#include <string.h>

// ---------------------------------------------------------------- man page

static void man_char(char c)
{
    if (c == '\\') fputs("\\e", stdout);
    else if (c == '-') fputs("\\-", stdout);
    else if (c == '\'') fputs("\\(aq", stdout);
    else putchar(c);
}

// Text in lines; "\&" keeps a dot in front from being a request.
static void man_text(const char *text)
{
    fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\n') fputs("\n.br\n\\&", stdout);
        else man_char(*text);
    }
    putchar('\n');
}

static void man_option_name(const struct option *option)
{
    if (option->letter) printf("\\fB\\-%s\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    for (const char *c = option->row.name; *c; c++) man_char(*c);
    fputs("\\fR", stdout);
    if (option->row.value) printf(" \\fI%s\\fR", option->row.value);
}

static void man_command(const struct command *command)
{
    struct option option;
    printf(".SS carillon %s %s\n", command->name, command->operands);
    man_text(command->summary);
    if (*command->text) {
        puts(".PP");
        man_text(command->text);
    }
    bool first = true;
    for (size_t i = 0; option_at(i, &option); i++) {
        const char *name = option.row.name;
        if (!*command->options || !command_takes(command, name) || !strcmp(name, "help")) continue;
        printf("%s\\fB\\-\\-%s\\fR", first ? ".PP\nOptions: " : ",\n", name);
        first = false;
    }
    if (!first) puts(".");
}

static void man_tables(void)
{
    size_t count, i;
    const struct command *commands = command_table(&count);
    puts(".SH COMMANDS");
    for (i = 0; i < count; i++) man_command(&commands[i]);
    struct option option;
    puts(".SH OPTIONS\nEach command takes those that are named with it.");
    for (i = 0; option_at(i, &option); i++) {
        puts(".TP");
        man_option_name(&option);
        putchar('\n');
        man_text(option.row.help);
    }
    const struct exit_code *codes = exit_code_table(&count);
    puts(".SH EXIT STATUS");
    for (i = 0; i < count; i++) {
        printf(".TP\n.B %d\n", codes[i].code);
        man_text(codes[i].text);
    }
}

static void print_man(void)
{
    puts(".\\\" SPDX-License-Identifier: Apache-2.0\n"
         ".TH CARILLON 1 \"\" \"carillon " CARILLON_VERSION "\" \"User Commands\"\n"
         ".SH NAME\ncarillon \\- optimal collective communication as slot tables\n"
         ".SH SYNOPSIS\n.B carillon\n.I COMMAND\n.RI [ operands ]\n.RI [ options ]\n.br\n"
         ".B carillon\n.I COMMAND\n.B \\-\\-help\n.br\n.B carillon \\-\\-version\n"
         ".SH DESCRIPTION\n" CLI_SUMMARY "\n"
         "Errors go to standard error as file:line:column: error: text. Files appear only when they are complete.");
    man_tables();
    puts(".SH ENVIRONMENT\n"
         ".TP\n.B CARILLON_CACHE\nWhere compiled simulators and found schedules are kept.\n"
         "Otherwise \\fI$XDG_CACHE_HOME/carillon\\fR, otherwise \\fI$HOME/.cache/carillon\\fR.\n"
         ".TP\n.B CARILLON_DATA\nA folder with \\fIrtl\\fR and \\fIsim\\fR, the sources from which simulators are "
         "compiled,\n"
         "instead of those that were installed with the program.\n"
         ".SH FILES\n"
         ".TP\n.I ~/.cache/carillon\nThe cache. It may be removed at any time; what is needed is made again.\n"
         ".TP\n.I PREFIX/share/carillon\nThe router in SystemVerilog, and the harness that simulates it.");
}

// ---------------------------------------------------------------- completion for bash

// Names from the library's tables, each once.
enum names { COLLECTIVES, SCHEMES, TOPOLOGIES, FINDINGS, FORMATS };

static const char *name_at(enum names what, size_t i)
{
    struct carillon_algorithm a;
    struct carillon_finding_kind kind;
    size_t formats = 0;
    if (what == FINDINGS) return carillon_finding_kind_at(i, &kind) ? kind.id : NULL;
    if (what == FORMATS) {
        while (carillon_format_at(formats)) formats++;
        return i < formats ? carillon_format_at(i) : carillon_dump_format_at(i - formats);
    }
    if (!carillon_algorithm_at(i, &a)) return NULL;
    return what == COLLECTIVES ? a.algorithm : what == SCHEMES ? a.scheme : a.topology;
}

static void bash_names(enum names what)
{
    bool any = false;
    const char *name;
    for (size_t i = 0; (name = name_at(what, i)); i++) {
        size_t earlier = 0;
        while (earlier < i && strcmp(name_at(what, earlier), name)) earlier++;
        if (earlier < i) continue;
        printf("%s%s%s", any ? " " : "", name, what == TOPOLOGIES ? ":" : "");
        any = true;
    }
}

static void bash_option_value(const struct option *option)
{
    const char *value = option->row.value, *name = option->row.name;
    if (!value) return;
    printf("    --%s%s%s)\n", name, option->letter ? " | -" : "", option->letter ? option->letter : "");
    if (!strcmp(value, "FILE")) {
        puts("        files=yes");
    } else if (strchr(value, '|')) { // alternatives
        fputs("        words='", stdout);
        for (const char *c = value; *c; c++) putchar(*c == '|' ? ' ' : *c);
        puts("'");
    } else if (!strcmp(value, "TOPOLOGY") || !strcmp(value, "ALGORITHM") || !strcmp(name, "scheme") ||
               !strcmp(name, "format")) {
        fputs("        words='", stdout);
        bash_names(!strcmp(value, "TOPOLOGY")    ? TOPOLOGIES
                   : !strcmp(value, "ALGORITHM") ? COLLECTIVES
                   : !strcmp(name, "scheme")     ? SCHEMES
                                                 : FORMATS);
        puts("'");
    }
    puts("        ;;");
}

static void bash_command(const struct command *command)
{
    struct option option;
    size_t first = strcspn(command->operands, " "); // what follows the first operand is another, or options
    char operand[64];
    snprintf(operand, sizeof operand, "%.*s", (int)first, command->operands);
    printf("        %s)\n            words='", command->name);
    if (strstr(operand, "ALGORITHM")) bash_names(COLLECTIVES);
    if (strstr(operand, "FINDING")) bash_names(FINDINGS);
    if (strchr(operand, '|') && islower((unsigned char)*operand)) // words to choose from, not kinds of operands
        for (const char *c = operand; *c; c++) putchar(*c == '|' ? ' ' : *c);
    fputs("'\n            options='", stdout);
    bool any = false;
    for (size_t i = 0; option_at(i, &option); i++)
        if (command_takes(command, option.row.name)) {
            printf("%s--%s", any ? " " : "", option.row.name);
            any = true;
        }
    puts("'");
    if (strstr(operand, "FILE") || strstr(command->operands, "IMAGE") || strstr(operand, "TRACE"))
        puts("            files=yes");
    puts("            ;;");
}

static void print_bash(void)
{
    size_t count, i;
    puts("# SPDX-License-Identifier: Apache-2.0\n# Completion of carillon's command line for bash.\n"
         "_carillon()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words='' options='' "
         "files=''\n"
         "    if ((COMP_CWORD == 1)); then previous=COMMAND; fi\n"
         "    case $previous in");
    struct option option;
    for (i = 0; option_at(i, &option); i++) bash_option_value(&option);
    fputs("    COMMAND)\n        words='", stdout);
    const struct command *commands = command_table(&count);
    for (i = 0; i < count; i++) printf("%s ", commands[i].name);
    puts("--help --version'\n        ;;\n    *)\n        case ${COMP_WORDS[1]} in");
    for (i = 0; i < count; i++) bash_command(&commands[i]);
    puts("        esac\n"
         "        if [[ $current == -* ]]; then words=$options files=''; fi\n"
         "        ;;\n    esac\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "    if [[ -n $files ]]; then\n"
         "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
         "        compopt -o filenames\n"
         "    fi\n"
         "    if [[ ${COMPREPLY[0]-} == *: ]]; then compopt -o nospace; fi\n"
         "}\ncomplete -F _carillon carillon");
}

int print_docs(const char *form)
{
    if (!strcmp(form, "man")) print_man();
    else if (!strcmp(form, "bash")) print_bash();
    else return complain_usage("--print needs man or bash");
    return EXIT_FINE;
}

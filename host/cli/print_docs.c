// SPDX-License-Identifier: Apache-2.0
// carillon --print: the man page, made from the tables that the program itself works by.
#include "cli.h"
#include <string.h>

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
         ".TP\n.B CARILLON_DEBUG\nStages with commas between them, of \fIplan,check,lower\fR: what each makes is "
         "printed on standard error,\nas a schedule in CSV, the verdict in JSON, and tables as dump prints them.\n"
         ".SH FILES\n"
         ".TP\n.I ~/.cache/carillon\nThe cache. It may be removed at any time; what is needed is made again.\n"
         ".TP\n.I PREFIX/share/carillon\nThe router in SystemVerilog, and the harness that simulates it.");
}

int print_docs(const char *form)
{
    if (!strcmp(form, "man")) print_man();
    else if (!print_completion(form)) return complain_usage("--print needs man, bash, zsh or fish");
    return EXIT_FINE;
}

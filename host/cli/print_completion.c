// SPDX-License-Identifier: Apache-2.0
// carillon --print: completion for bash, zsh and fish, made from the tables that the program itself works by.
#include "cli.h"
#include "table_text.h"
#include <ctype.h>
#include <string.h>

// Names from the library's tables, each once.
enum names { COLLECTIVES, SCHEMES, TOPOLOGIES, FINDINGS, FORMATS };

// Of schedules, of images, and of tables that compare.
static const char *format_at(size_t i)
{
    static const char *(*const lists[])(size_t) = {carillon_format_at, carillon_dump_format_at, table_format_at,
                                                   carillon_import_format_at};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        size_t count = 0;
        while (lists[k](count)) count++;
        if (i < count) return lists[k](i);
        i -= count;
    }
    return NULL;
}

static const char *name_at(enum names what, size_t i)
{
    struct carillon_algorithm a;
    struct carillon_finding_kind kind;
    if (what == FINDINGS) return carillon_finding_kind_at(i, &kind) ? kind.id : NULL;
    if (what == FORMATS) return format_at(i);
    if (what == TOPOLOGIES) return carillon_topology_at(i);
    if (!carillon_algorithm_at(i, &a)) return NULL;
    return what == COLLECTIVES ? a.algorithm : a.scheme;
}

static void print_names(enum names what)
{
    bool any = false;
    const char *name;
    for (size_t i = 0; (name = name_at(what, i)); i++) {
        size_t earlier = 0;
        while (earlier < i && strcmp(name_at(what, earlier), name)) earlier++;
        if (earlier < i) continue;
        size_t length = what == TOPOLOGIES ? strcspn(name, ":") + 1 : strlen(name); // sizes are the user's
        printf("%s%.*s", any ? " " : "", (int)length, name);
        any = true;
    }
}

// Words with bars between them, with spaces.
static void print_alternatives(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) putchar(text[i] == '|' ? ' ' : text[i]);
}

static bool is_file_option(const struct option *option)
{
    return option->row.value && !strcmp(option->row.value, "FILE");
}

// The words that an option's value may be, if they are known.
static void print_values(const struct option *option)
{
    const char *value = option->row.value, *name = option->row.name;
    if (!value) return;
    if (strchr(value, '|')) print_alternatives(value, strlen(value));
    else if (!strcmp(value, "TOPOLOGY")) print_names(TOPOLOGIES);
    else if (!strcmp(value, "ALGORITHM")) print_names(COLLECTIVES);
    else if (!strcmp(name, "scheme")) print_names(SCHEMES);
    else if (!strcmp(name, "format")) print_names(FORMATS);
}

// What a command's first operand may be; what follows it is another, or options.
static void print_operands(const struct command *command)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(command->operands, " "), command->operands);
    if (strstr(first, "ALGORITHM") || strstr(first, "[WORD]")) print_names(COLLECTIVES);
    if (strstr(first, "SCHEME")) print_names(SCHEMES);
    if (strstr(first, "FINDING")) print_names(FINDINGS);
    if (strchr(first, '|') && islower((unsigned char)*first)) // words to choose from, not kinds of operands
        print_alternatives(first, strlen(first));
}

static bool takes_files(const struct command *command)
{
    const char *o = command->operands;
    return strstr(o, "FILE") || strstr(o, "IMAGE") || strstr(o, "TRACE");
}

// ---------------------------------------------------------------- bash and zsh

// From $previous (word), $command and $current: sets $list, $options and $files. Both shells read it.
static void print_cases(void)
{
    size_t count;
    struct option option;
    const struct command *commands = command_table(&count);
    puts("    case $previous in");
    for (size_t i = 0; option_at(i, &option); i++) {
        if (!option.row.value) continue;
        printf("    --%s%s%s)\n", option.row.name, option.letter ? " | -" : "", option.letter ? option.letter : "");
        if (is_file_option(&option)) puts("        files=yes");
        fputs("        list='", stdout);
        print_values(&option);
        puts("'\n        ;;");
    }
    fputs("    COMMAND)\n        list='", stdout);
    for (size_t i = 0; i < count; i++) printf("%s ", commands[i].name);
    puts("--help --version'\n        ;;\n    *)\n        case $command in");
    for (size_t k = 0; k < count; k++) {
        printf("        %s)\n            list='", commands[k].name);
        print_operands(&commands[k]);
        fputs("'\n            options='", stdout);
        for (size_t i = 0; option_at(i, &option); i++)
            if (command_takes(&commands[k], option.row.name)) printf("--%s ", option.row.name);
        printf("'%s\n            ;;\n", takes_files(&commands[k]) ? "\n            files=yes" : "");
    }
    puts("        esac\n"
         "        if [[ $current == -* ]]; then list=$options files=''; fi\n"
         "        ;;\n    esac");
}

static void print_bash(void)
{
    puts("# SPDX-License-Identifier: Apache-2.0\n# Completion of carillon's command line for bash.\n"
         "_carillon()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
         "    local list='' options='' files=''\n"
         "    if ((COMP_CWORD == 1)); then previous=COMMAND; fi");
    print_cases();
    puts("    mapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$current\")\n"
         "    if [[ -n $files ]]; then\n"
         "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
         "        compopt -o filenames\n"
         "    fi\n"
         "    if [[ ${COMPREPLY[0]-} == *: ]]; then compopt -o nospace; fi\n"
         "}\ncomplete -F _carillon carillon");
}

static void print_zsh(void)
{
    puts("#compdef carillon\n"
         "# SPDX-License-Identifier: Apache-2.0\n# Completion of carillon's command line for zsh.\n"
         "_carillon()\n{\n"
         "    local current=$words[CURRENT] previous=$words[CURRENT-1] command=$words[2] list='' options='' files=''\n"
         "    local -a found\n"
         "    if ((CURRENT == 2)); then previous=COMMAND; fi");
    print_cases();
    puts("    found=(${=list})\n"
         "    compadd -S '' -- ${(M)found:#*:}\n" // sizes follow
         "    compadd -- ${found:#*:}\n"
         "    if [[ -n $files ]]; then _files; fi\n"
         "}\n_carillon \"$@\"");
}

// ---------------------------------------------------------------- fish

static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_option(const struct option *option)
{
    size_t count;
    const struct command *commands = command_table(&count);
    fputs("complete -c carillon -n '__fish_seen_subcommand_from", stdout);
    for (size_t i = 0; i < count; i++)
        if (command_takes(&commands[i], option->row.name)) printf(" %s", commands[i].name);
    printf("' -l %s", option->row.name);
    if (option->letter) printf(" -s %s", option->letter);
    if (option->row.value) {
        printf(" -r %s -a '", is_file_option(option) ? "-F" : "-f");
        print_values(option);
        putchar('\'');
    }
    fputs(" -d ", stdout);
    print_quoted(option->row.help);
    putchar('\n');
}

static void print_fish(void)
{
    size_t count;
    struct option option;
    const struct command *commands = command_table(&count);
    puts("# SPDX-License-Identifier: Apache-2.0\n# Completion of carillon's command line for fish.\n"
         "complete -c carillon -f\n"
         "complete -c carillon -n __fish_use_subcommand -l version\n"
         "complete -c carillon -n __fish_use_subcommand -l help");
    for (size_t i = 0; i < count; i++) {
        printf("complete -c carillon -n __fish_use_subcommand -a %s -d ", commands[i].name);
        print_quoted(commands[i].summary);
        printf("\ncomplete -c carillon -n '__fish_seen_subcommand_from %s' %s -a '", commands[i].name,
               takes_files(&commands[i]) ? "-F" : "-f");
        print_operands(&commands[i]);
        puts("'");
    }
    for (size_t i = 0; option_at(i, &option); i++) fish_option(&option);
}

bool print_completion(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shell, shells[i].name)) {
            shells[i].print();
            return true;
        }
    return false;
}

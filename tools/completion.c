/* The command `sonde completion`: prints a completion script for bash, zsh or fish, for the sonde command and for test
 * programs. The script is made from the tables of options (cli/options.h) and subcommands (sonde.c), so it is always
 * complete.
 *
 * A shell cannot know which programs are test programs. Each script defines a function to name them: `sonde_completes
 * ./test`. Names of properties are completed for these programs only, since that runs the program with --list. */
#include "cli/options.h"
#include "guide/guides.h"
#include "report/report.h"
#include "tools.h"
#include "base/die.h"

#include <string.h>

/* ---- Values of options -----------------------------------------------------------------------------------------*/

/* Kind of completion for the value of an option. WORDS: one of a fixed list. */
enum values { NO_VALUE, ANY_VALUE, FILES, FOLDERS, PROPERTIES, WORDS };

/* Returns how to complete an option's value. For strings its placeholder in --help decides: DIR, FILE or PATH. */
static enum values values_of(const struct sonde_option *o)
{
    switch (o->type) {
    case SONDE_OPTION_FLAG:
    case SONDE_OPTION_NEGATED:
    case SONDE_OPTION_NEVER: return NO_VALUE;
    case SONDE_OPTION_WORD:
    case SONDE_OPTION_EXPLAIN:
    case SONDE_OPTION_GUIDE:
    case SONDE_OPTION_REPORT: return WORDS;
    case SONDE_OPTION_FILTER: return PROPERTIES;
    case SONDE_OPTION_IMPORT: return FILES;
    case SONDE_OPTION_TEXT:
        if (!strcmp(o->metavar, "DIR")) return FOLDERS;
        return strstr(o->metavar, "FILE") || strstr(o->metavar, "PATH") ? FILES : ANY_VALUE;
    case SONDE_OPTION_PORT:
    case SONDE_OPTION_COUNT:
    case SONDE_OPTION_SIZE:
    case SONDE_OPTION_LEAST:
    case SONDE_OPTION_SECONDS:
    case SONDE_OPTION_MINUTES:
    case SONDE_OPTION_KNOBS:
    case SONDE_OPTION_SHARE: break;
    }
    return ANY_VALUE;
}

/* Prints "a|b|c" as "a b c". */
static void put_alternatives(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) putchar(text[i] == '|' ? ' ' : text[i]);
}

/* Prints the words that an option of kind WORDS takes. */
static void put_words(const struct sonde_option *o)
{
    if (o->type == SONDE_OPTION_GUIDE) {
        for (size_t i = 0; sonde_guides[i]; i++) printf("%s%s", i ? " " : "", sonde_guides[i]->name);
    } else if (o->type == SONDE_OPTION_REPORT) {
        for (size_t i = 0; sonde_report_kinds[i]; i++) printf("%s%s", i ? " " : "", sonde_report_kinds[i]);
    } else {
        put_alternatives(o->metavar, strlen(o->metavar));
    }
}

/* Prints the first clause of a description, without characters that are special to a shell or to zsh's _arguments. */
static void put_summary(const char *help)
{
    for (const char *p = help; *p && !strchr(";.:(", *p); p++)
        if (!strchr("'`[]\\$\"", *p)) putchar(*p);
}

/* ---- Subcommands -----------------------------------------------------------------------------------------------*/

/* Calls `put` for each option in a usage string. If its value is one of a list, as in "--by random|sequence" or
 * "--to=token|tape", `words` is that list; else n_words is 0. */
static void each_named(const char *usage, void (*put)(const char *option, size_t n, const char *words, size_t n_words))
{
    for (const char *p = usage; (p = strstr(p, "--"));) {
        bool begins = p == usage || strchr(" [|", p[-1]);
        size_t n = 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-");
        const char *value = p + n + (p[n] == '=' || p[n] == ' ');
        size_t n_value = strspn(value, "abcdefghijklmnopqrstuvwxyz|");
        if (begins && n > 2) put(p, n, value, memchr(value, '|', n_value) ? n_value : 0);
        p += n;
    }
}

/* Returns the string that names the subcommand's options. */
static const char *options_of(const struct sonde_subcommand *c)
{
    return c->run == sonde_tool_cc ? sonde_cc_usage : c->arguments;
}

/* Reports whether the subcommand takes exactly one word of a list, such as "bash|zsh|fish". */
static bool takes_words(const struct sonde_subcommand *c)
{
    return strchr(c->arguments, '|') && !c->arguments[strspn(c->arguments, "abcdefghijklmnopqrstuvwxyz|")];
}

static void put_bash_option(const char *option, size_t n, const char *words, size_t n_words)
{
    (void)words, (void)n_words;
    printf(" %.*s", (int)n, option);
}

static void put_bash_words(const char *option, size_t n, const char *words, size_t n_words)
{
    if (!n_words) return;
    printf("    *,%.*s) COMPREPLY=($(compgen -W '", (int)n, option);
    put_alternatives(words, n_words);
    puts("' -- \"$word\")) ;;");
}

/* ---- bash ------------------------------------------------------------------------------------------------------*/

/* Prints the `case` branch that completes the value of an option. */
static void bash_value(const struct sonde_option *o)
{
    static const char *const with[] = {
        [FILES] = "COMPREPLY=($(compgen -f -- \"$word\"))",
        [FOLDERS] = "COMPREPLY=($(compgen -d -- \"$word\"))",
        [PROPERTIES] = "COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" --list 2>/dev/null)\" -- \"$word\"))",
        [ANY_VALUE] = "COMPREPLY=()",
    };
    enum values values = values_of(o);
    if (values == NO_VALUE) return;
    printf("    --%s", o->name);
    if (o->letter) printf(" | -%c", o->letter);
    fputs(") ", stdout);
    if (values == WORDS) {
        fputs("COMPREPLY=($(compgen -W '", stdout);
        put_words(o);
        puts("' -- \"$word\")) ;;");
    } else {
        printf("%s ;;\n", with[values]);
    }
}

/* bash makes "=" a separate word: `--guide=ra` is three words. _sonde_word corrects that. */
static const char bash_head[] =
    "# Completion for bash, made by `sonde completion bash`. For test programs: sonde_completes ./test\n"
    "_sonde_word() {\n"
    "    word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    if [[ $word == '=' ]]; then word=\n"
    "    elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "}\n\n"
    "_sonde_test() {\n"
    "    local word before\n"
    "    _sonde_word\n"
    "    case $before in\n";
static const char bash_middle[] = "    esac\n"
                                  "}\n\n"
                                  "sonde_completes() { complete -o default -F _sonde_test \"$@\"; }\n\n"
                                  "_sonde() {\n"
                                  "    local word before\n"
                                  "    _sonde_word\n"
                                  "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                                  "        COMPREPLY=($(compgen -W '";

static void put_names(const struct sonde_subcommand *commands)
{
    for (const struct sonde_subcommand *c = commands; c->name; c++) printf("%s ", c->name);
}

static void put_bash(const struct sonde_subcommand *commands)
{
    fputs(bash_head, stdout);
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) bash_value(o);
    fputs("    *) COMPREPLY=($(compgen -W '", stdout);
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) printf("--%s ", o->name);
    puts("' -- \"$word\")) ;;");
    fputs(bash_middle, stdout);
    put_names(commands);
    puts("' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]},$before in");
    for (const struct sonde_subcommand *c = commands; c->name; c++) each_named(c->arguments, put_bash_words);
    for (const struct sonde_subcommand *c = commands; c->name; c++) {
        bool names_options = strstr(options_of(c), "--") != NULL;
        if (!names_options && !takes_words(c)) continue;
        printf("    %s,*) COMPREPLY=($(compgen -W '", c->name);
        if (names_options) each_named(options_of(c), put_bash_option);
        else put_alternatives(c->arguments, strlen(c->arguments));
        puts("' -- \"$word\")) ;;");
    }
    fputs("    help,*) COMPREPLY=($(compgen -W '", stdout);
    put_names(commands);
    puts("' -- \"$word\")) ;;");
    puts("    esac\n}\ncomplete -o default -F _sonde sonde");
}

/* ---- zsh -------------------------------------------------------------------------------------------------------*/

static void zsh_option(const struct sonde_option *o)
{
    static const char *const with[] = {[ANY_VALUE] = ": ",
                                       [FILES] = ":file:_files",
                                       [FOLDERS] = ":folder:_files -/",
                                       [PROPERTIES] = ":property:_sonde_properties"};
    enum values values = values_of(o);
    printf("        '*--%s%s[", o->name, values == NO_VALUE ? "" : "=");
    put_summary(o->help);
    putchar(']');
    if (values == WORDS) {
        fputs(":word:(", stdout);
        put_words(o);
        putchar(')');
    } else if (values != NO_VALUE) {
        fputs(with[values], stdout);
    }
    puts("' \\");
}

static void put_zsh_option(const char *option, size_t n, const char *words, size_t n_words)
{
    printf(" '%.*s%s", (int)n, option, n_words ? "=:word:(" : "");
    put_alternatives(words, n_words);
    printf("%s'", n_words ? ")" : "");
}

static void put_zsh(const struct sonde_subcommand *commands)
{
    puts("#compdef sonde\n"
         "# Completion for zsh, made by `sonde completion zsh`. For test programs: sonde_completes test\n"
         "_sonde_properties() { compadd -- $(${words[1]} --list 2>/dev/null) }\n\n"
         "_sonde_test() {\n    _arguments \\");
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) zsh_option(o);
    puts(
        "        '*:file:_files'\n}\n\nsonde_completes() { compdef _sonde_test \"$@\" }\n\n_sonde() {\n    local -a commands=(");
    for (const struct sonde_subcommand *c = commands; c->name; c++) {
        printf("        '%s:", c->name);
        put_summary(c->help);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n    case ${words[2]} in\n"
         "    help) _describe command commands ;;");
    for (const struct sonde_subcommand *c = commands; c->name; c++) {
        if (takes_words(c)) {
            printf("    %s) compadd ", c->name);
            put_alternatives(c->arguments, strlen(c->arguments));
            puts(" ;;");
        }
        if (!strstr(options_of(c), "--")) continue;
        printf("    %s) _arguments", c->name);
        each_named(options_of(c), put_zsh_option);
        puts(" '*:file:_files' ;;");
    }
    puts(
        "    *) _files ;;\n    esac\n}\n"
        "# Found by its name and called, or read by a line of .zshrc: both work.\n"
        "if [[ ${funcstack[1]} == _sonde ]]; then _sonde \"$@\"; elif (( $+functions[compdef] )); then compdef _sonde sonde; fi");
}

/* ---- fish ------------------------------------------------------------------------------------------------------*/

static void fish_option(const struct sonde_option *o)
{
    static const char *const with[] = {[NO_VALUE] = "",
                                       [ANY_VALUE] = " -x",
                                       [FILES] = " -r -F",
                                       [FOLDERS] = " -x -a '(__fish_complete_directories)'",
                                       [PROPERTIES] = " -x -a '(__sonde_properties)'"};
    enum values values = values_of(o);
    printf("        complete -c $program -l %s", o->name);
    if (o->letter) printf(" -s %c", o->letter);
    if (values == WORDS) {
        fputs(" -x -a '", stdout);
        put_words(o);
        putchar('\'');
    } else {
        fputs(with[values], stdout);
    }
    fputs(" -d '", stdout);
    put_summary(o->help);
    puts("'");
}

static const char *fish_command; /* the subcommand whose options put_fish_option prints */

static void put_fish_option(const char *option, size_t n, const char *words, size_t n_words)
{
    printf("complete -c sonde -n '__fish_seen_subcommand_from %s' -l %.*s", fish_command, (int)n - 2, option + 2);
    if (n_words) fputs(" -x -a '", stdout);
    put_alternatives(words, n_words);
    puts(n_words ? "'" : "");
}

static void put_fish(const struct sonde_subcommand *commands)
{
    puts(
        "# Completion for fish, made by `sonde completion fish`. For test programs: sonde_completes test\n"
        "function __sonde_properties\n    set -l words (commandline -opc)\n    eval $words[1] --list 2>/dev/null\nend\n\n"
        "function sonde_completes\n    for program in $argv");
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) fish_option(o);
    puts("    end\nend\n");
    for (const struct sonde_subcommand *c = commands; c->name; c++) {
        printf("complete -c sonde -n __fish_use_subcommand -f -a %s -d '", c->name);
        put_summary(c->help);
        puts("'");
        fish_command = c->name;
        each_named(options_of(c), put_fish_option);
        if (!takes_words(c)) continue;
        printf("complete -c sonde -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
        put_alternatives(c->arguments, strlen(c->arguments));
        puts("'");
    }
}

int sonde_tool_completion(const struct sonde_subcommand *commands, const char *shell)
{
    if (!strcmp(shell, "bash")) put_bash(commands);
    else if (!strcmp(shell, "zsh")) put_zsh(commands);
    else if (!strcmp(shell, "fish")) put_fish(commands);
    else {
        sonde_complain("sonde completion: the shell '%s' is not supported; write bash, zsh or fish", shell);
        return SONDE_USAGE;
    }
    return SONDE_PASSED;
}

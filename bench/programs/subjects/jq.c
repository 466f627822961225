/* D4: no filter makes the installed jq die of a signal. */
#define _GNU_SOURCE
#include "programs/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

void program_property(sonde *t);

enum { DEEPEST = 3 };

static const char *const values[] = {".",         "1",  "\"a\"", "null", "[1,2]", "[\"a\"]",
                                     "{\"a\":1}", "-1", "true",  "[]",   "1.5"};
static const char *const functions[] = {"length",     "keys",    "add",     "tostring",       "tonumber",
                                        "type",       "explode", "implode", "ascii_downcase", "reverse",
                                        "sort",       "unique",  "flatten", "floor",          "first",
                                        "min",        "max",     "not",     "tojson",         "fromjson",
                                        "to_entries", "any",     "all",     "paths",          "transpose",
                                        "@base64",    "@csv",    "@sh"};
static const char *const operators[] = {" + ", ", ", " - ", " * ", " == ", " and ", " // "};

static void filter(sonde *t, struct text *out, int depth);

static void stage(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "stage");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 3 : 2)) {
    case 0: text_word(t, "function", out, functions); break;
    case 1: text_word(t, "value", out, values); break;
    default:
        text_add(out, "(");
        filter(t, out, depth + 1);
        text_word(t, "operator", out, operators);
        filter(t, out, depth + 1);
        text_add(out, ")");
    }
}

static void filter(sonde *t, struct text *out, int depth)
{
    sonde_list stages = sonde_list_of(t, "stages", 1, 4);
    while (text_more(&stages, out, " | ")) stage(t, out, depth);
}

void program_property(sonde *t)
{
    static struct text text;
    extern char **environ;
    posix_spawn_file_actions_t quietly;
    pid_t child;
    int status = 0;
    text.n = 0;
    filter(t, &text, 0);
    sonde_note(t, "%s", text.bytes);
    char *const command[] = {"jq", "-n", text.bytes, NULL};
    posix_spawn_file_actions_init(&quietly);
    posix_spawn_file_actions_addopen(&quietly, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quietly, 2, "/dev/null", O_WRONLY, 0);
    bool has_run =
        posix_spawnp(&child, "jq", &quietly, NULL, command, environ) == 0 && waitpid(child, &status, 0) == child;
    posix_spawn_file_actions_destroy(&quietly);
    sonde_assume(t, has_run);
    int died_of_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    sonde_check_eq(t, died_of_signal, 0);
}

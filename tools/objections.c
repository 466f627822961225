/* See objections.h. One check names all parts that are rejected, except where an error hides others. So the check is
 * repeated until nothing is rejected. That is mostly the second check, and does not depend on the number of parts. */
#include "objections.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Checks of one source, at most. Each but the last rejects at least one part; cJSON with all mutants needs 3. */
enum { ROUNDS = 48 };

uint32_t objections_number(const char *message, const char *file)
{
    return word_starts(message, file) ? (uint32_t)strtoul(message + strlen(file), NULL, 10) : 0;
}

/* Passes each line of the messages to a function. Returns whether one of the calls returned true. */
static bool read_lines(char *messages, bool (*read)(void *, const char *), void *state)
{
    bool is_new = false;
    for (char *line = messages; *line;) {
        char *end = line + strcspn(line, "\n"), was = *end;
        *end = 0;
        is_new = read(state, line) || is_new;
        *end = was;
        line = was ? end + 1 : end;
    }
    return is_new;
}

bool objections_settle(const struct objections *o, char **messages)
{
    *messages = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        int status;
        char *text = o->write(o->state);
        sonde_free(*messages);
        *messages = NULL;
        if (!text) return true;
        struct precond_checked checked = {text, o->is_cxx, o->wants_warnings};
        *messages = precond_check(o->step, &checked, &status);
        sonde_free(text);
        if (read_lines(*messages, o->reject, o->state)) continue;
        if (status == 0) {
            sonde_free(*messages);
            *messages = NULL;
            return true;
        }
        if (!read_lines(*messages, o->reject_indirectly, o->state)) return false;
    }
    return false;
}

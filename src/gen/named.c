/* Implements sonde_enum: constants that reports show by their names. */
#include <sonde.h>

#include <string.h>

/* A position in the names that the preprocessor joined with commas. */
struct name {
    const char *names;
    size_t i;
};

/* Prints a name. Finds the name only now, because few cases are printed. A comma within brackets belongs to its
 * name. */
static void print_name(FILE *out, const void *value)
{
    const struct name *name = value;
    const char *start = name->names, *end = start;
    size_t i = name->i;
    for (int depth = 0;; end++) {
        if (*end == '(' || *end == '[' || *end == '{') depth++;
        if (*end == ')' || *end == ']' || *end == '}') depth--;
        if (*end && (*end != ',' || depth > 0)) continue;
        if (i-- == 0 || !*end) break;
        start = end + 1;
    }
    while (*start == ' ') start++;
    fprintf(out, "%.*s", (int)(end - start), start);
}

int sonde_enum_(sonde *t, const char *label, const char *names, const int *values, size_t n)
{
    sonde_open(t, label);
    struct name name = {names, sonde_pick(t, "constant", n)};
    /* `name` may be on this stack: sonde_show calls the printer at once or not at all. */
    sonde_show(t, print_name, &name);
    sonde_close(t, label);
    return values[name.i];
}

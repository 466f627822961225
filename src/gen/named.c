/* Constants that are shown by their names. */
#include <sonde.h>

#include <string.h>

struct name {
    const char *at;
    int n;
};

static void print_name(FILE *out, const void *value)
{
    const struct name *name = value;
    fprintf(out, "%.*s", name->n, name->at);
}

/* The i-th of the names that the preprocessor joined with commas; a comma within brackets belongs to its name. */
static struct name find_name(const char *names, size_t i)
{
    const char *start = names, *end = names;
    for (int depth = 0;; end++) {
        if (*end == '(' || *end == '[' || *end == '{') depth++;
        if (*end == ')' || *end == ']' || *end == '}') depth--;
        if (*end && (*end != ',' || depth > 0)) continue;
        if (i-- == 0 || !*end) break;
        start = end + 1;
    }
    while (*start == ' ') start++;
    return (struct name){start, (int)(end - start)};
}

int sonde_enum_(sonde *t, const char *label, const char *names, const int *values, size_t n)
{
    sonde_open(t, label);
    size_t i = sonde_pick(t, "constant", n);
    struct name name = find_name(names, i);
    sonde_show(t, print_name, &name);
    sonde_close(t, label);
    return values[i];
}

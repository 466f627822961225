/* 09: properties with settings. SONDE_MAIN takes plain functions; a table of struct sonde_property has more settings.
 *
 * Look for: the first property is proved, not sampled. Its guide tries all 11 * 11 * 11 inputs, and the run ends as
 * *exhausted* after 1,331 tests. The second writes a string into a file and reads it back. The file is opened once per
 * worker and rewound before each case, and the examples run first. The dictionary holds words with a meaning in the
 * format, which random letters hardly ever spell. The counterexample is the word that was forgotten. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

/* ---- Code under test, one: correct. */

static int median(int a, int b, int c)
{
    if (a > b) return median(b, a, c);
    return c <= a ? a : c >= b ? b : c;
}

static void median_has_one_on_each_side(sonde *t)
{
    int a = sonde_int(t, "a", 0, 10), b = sonde_int(t, "b", 0, 10), c = sonde_int(t, "c", 0, 10);
    int m = median(a, b, c);
    sonde_check(t, m == a || m == b || m == c);
    sonde_check_ge(t, (a <= m) + (b <= m) + (c <= m), 2);
    sonde_check_ge(t, (a >= m) + (b >= m) + (c >= m), 2);
}

/* ---- Code under test, two: one scalar per line, as in YAML. A string that would be read as something else must be
 * quoted. It has a bug. */

static const char *const constants[] = {"true", "false", "yes", "no", "null", "~"};

static bool needs_quotes(const char *text)
{
    static const char *const quoted[] = {"true", "false", "yes", "null", "~"};
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        if (strcmp(text, quoted[i]) == 0) return true;
    }
    return text[0] == '"' || (text[0] >= '0' && text[0] <= '9');
}

static void write_scalar(FILE *file, const char *text)
{
    fprintf(file, needs_quotes(text) ? "\"%s\"\n" : "%s\n", text);
}

enum type { TEXT, CONSTANT, NUMBER };

/* Reads one line; leaves the string without its quotes in `line`. */
static enum type read_scalar(FILE *file, char *line, int size)
{
    if (!fgets(line, size, file)) line[0] = '\0';
    size_t n = strcspn(line, "\n");
    line[n] = '\0';
    if (n >= 2 && line[0] == '"' && line[n - 1] == '"') {
        memmove(line, line + 1, n - 2);
        line[n - 2] = '\0';
        return TEXT;
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(line, constants[i]) == 0) return CONSTANT;
    }
    return line[0] >= '0' && line[0] <= '9' ? NUMBER : TEXT;
}

struct document {
    FILE *file;
};

static void open_document(void *context)
{
    struct document *document = context;
    document->file = tmpfile();
    if (!document->file) abort();
}

static void close_document(void *context)
{
    struct document *document = context;
    fclose(document->file);
}

static void start_again(sonde *t)
{
    struct document *document = sonde_context(t);
    rewind(document->file);
}

static void text_comes_back_as_text(sonde *t)
{
    struct document *document = sonde_context(t);
    const char *text = sonde_string(t, "text", 0, 40);
    char line[100];
    write_scalar(document->file, text);
    rewind(document->file);
    enum type type = read_scalar(document->file, line, sizeof line);
    sonde_check_eq(t, line, text);
    sonde_check_eq(t, (int)type, (int)TEXT);
}

/* ---- The table. Omitted settings have their defaults. */

int main(int argc, char **argv)
{
    static struct document document;
    static const char *const words[] = {"true", "false", "yes", "no", "null", "~", "\"", NULL};
    static const char *const examples[] = {"text=", "text=%22", "text=12", NULL}; /* bugs of the past, as tokens */
    const sonde_property properties[] = {
        {
            .name = "median_has_one_on_each_side",
            .run = median_has_one_on_each_side,
            .guide = "enumerate",
        },
        {
            .name = "text_comes_back_as_text",
            .run = text_comes_back_as_text,
            .context = &document,
            .worker_setup = open_document,
            .worker_teardown = close_document,
            .setup = start_again,
            .examples = examples,
            .words = words,
            .tests = 20000,
        },
    };
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}

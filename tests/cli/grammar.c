/* Draws from the grammar in the file "grammar", and checks nothing; for tests/cli/grammar.sh. With $WRITTEN set, appends the
 * string to that file. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static void put_number(sonde *t, sonde_text *out)
{
    sonde_put(t, out, "%d", sonde_int(t, "value", 0, 999999));
}

static const sonde_drawn_rule numbers[] = {{"number", put_number}};
static const sonde_language plain = {.file = "grammar"}, drawn = {.file = "grammar", .drawn = numbers, .n_drawn = 1};

static void write_down(const sonde_text *text)
{
    FILE *out = getenv("WRITTEN") ? fopen(getenv("WRITTEN"), "a") : NULL;
    if (!out) return;
    fwrite(text->at, 1, text->n, out);
    fputc('\n', out);
    fclose(out);
}

static void draws(sonde *t)
{
    sonde_text text = sonde_grammar(t, "text", &plain);
    write_down(&text);
}

static void draws_numbers(sonde *t)
{
    sonde_text text = sonde_grammar(t, "text", &drawn);
    write_down(&text);
}

/* A bug that needs a term in a term. */
static void nests(sonde *t)
{
    sonde_text text = sonde_grammar(t, "text", &plain);
    sonde_check(t, !strstr(text.at, "(("));
}

SONDE_MAIN(draws, draws_numbers, nests)

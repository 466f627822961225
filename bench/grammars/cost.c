/* The cost of a draw, for `bench/run grammars cost`: by sonde_grammar, by the C that `sonde grammar to-c` wrote of the same grammar
 * (DRAWN is its file, DRAW its function), and by the generator of bench/programs. $BY is one of grammar, c and hand. Run in
 * callgrind, which counts instructions in `drawn_by_*` and what they call. Prints the number of draws. */
#include "case/case.h"
#include "programs/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include DRAWN

static sonde_language language;
static unsigned long long draws, cases, bytes;

sonde_text drawn_by_grammar(sonde *t);
sonde_text drawn_by_c(sonde *t);
sonde_text drawn_by_hand(sonde *t);

__attribute__((noinline)) sonde_text drawn_by_grammar(sonde *t)
{
    return sonde_grammar(t, "text", &language);
}

__attribute__((noinline)) sonde_text drawn_by_c(sonde *t)
{
    return DRAW(t, "text");
}

__attribute__((noinline)) sonde_text drawn_by_hand(sonde *t)
{
    static struct text text;
    text.n = 0;
    text.bytes[0] = '\0';
    program_generate(t, &text);
    return (sonde_text){.at = text.bytes, .n = text.n};
}

static void draw_one(sonde *t)
{
    const char *by = getenv("BY");
    uint32_t before = t->tape.n_choices;
    sonde_text text = !strcmp(by, "c") ? drawn_by_c(t) : !strcmp(by, "hand") ? drawn_by_hand(t) : drawn_by_grammar(t);
    draws += t->tape.n_choices - before;
    bytes += text.n;
    cases++;
}

int main(int argc, char **argv)
{
    (void)argc;
    language.file = getenv("GRAMMAR");
    sonde_run(draw_one,
              &(sonde_config){.seed = 1, .tests = strtoull(argv[1], NULL, 10), .guide = argv[2], .quiet = true});
    printf("cases %llu draws %llu bytes %llu\n", cases, draws, bytes);
    return 0;
}

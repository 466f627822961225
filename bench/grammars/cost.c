/* What a draw costs, for `bench/run grammars cost`: the same cases by sonde_grammar, and by the C that `sonde grammar to-c` wrote of
 * the same grammar (-DDRAWN='"FILE"', -DDRAW=its function). Run in callgrind, which counts instructions in `drawn_by_*` and what
 * they call. Prints the number of draws. */
#include "case/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include DRAWN

static sonde_language language;
static unsigned long long draws, cases, bytes;

sonde_text drawn_by_grammar(sonde *t);
sonde_text drawn_by_c(sonde *t);

__attribute__((noinline)) sonde_text drawn_by_grammar(sonde *t)
{
    return sonde_grammar(t, "text", &language);
}

__attribute__((noinline)) sonde_text drawn_by_c(sonde *t)
{
    return DRAW(t, "text");
}

static void draw_one(sonde *t)
{
    uint32_t before = t->tape.n_choices;
    sonde_text text = getenv("BY_C") ? drawn_by_c(t) : drawn_by_grammar(t);
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

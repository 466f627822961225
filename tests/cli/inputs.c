/* Properties that a search hardly finds its way into, and an input that shows the way: for tests/cli/inputs.sh. */
#include <sonde.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);

enum { LETTERS = 6, LENGTH = 8 };
static const size_t word[LENGTH] = {5, 0, 3, 1, 4, 4, 2, 5};
static uint8_t counters[2 + LENGTH];

/* One word in 1.7 million, and no hint at how near an input is: it is judged as a whole. */
static void spell(sonde *t)
{
    size_t wrong = 0;
    for (size_t i = 0; i < LENGTH; i++) wrong += sonde_pick(t, "letter", LETTERS) != word[i];
    sonde_assume(t, wrong == 0);
}

static void spell_more(sonde *t)
{
    spell(t);
    sonde_pick(t, "rest", 1000000);
}

/* The same as a machine would read it, with counters: each right letter is a step further. */
/* With NAP set, a run that only has to be there for a while costs no processor. */
static void read_word(sonde *t)
{
    if (getenv("NAP")) usleep(200);
    size_t right = 0;
    size_t letters[LENGTH];
    for (size_t i = 0; i < LENGTH; i++) letters[i] = sonde_pick(t, "letter", LETTERS);
    while (right < LENGTH && letters[right] == word[right]) counters[right++]++;
    sonde_assume(t, right == LENGTH);
}

static void magic(sonde *t)
{
    size_t n;
    int before = sonde_int(t, "before", 0, 9);
    const uint8_t *data = sonde_bytes(t, "data", 0, 40, &n);
    sonde_assume(t, n >= 8 && !memcmp(data, "\x89PNG\r\n\x1a\n", 8));
    sonde_check(t, before < 10 && !(n > 8 && data[8] == 'X'));
}

static void text(sonde *t)
{
    const char *s = sonde_string(t, "s", 1, 20);
    sonde_assume(t, !strcmp(s, "open sesame"));
}

static void crash(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000000) == 777777) abort();
}

#define WORD "s1:letter=5 letter=0 letter=3 letter=1 letter=4 letter=4 letter=2 letter=5"

int main(int argc, char **argv)
{
    static const char *const examples[] = {WORD, NULL}, *const more[] = {WORD " rest=0", NULL};
    const sonde_property properties[] = {{.name = "spell", .run = spell},
                                         {.name = "shown", .run = spell, .examples = examples},
                                         {.name = "spell_more", .run = spell_more},
                                         {.name = "shown_more", .run = spell_more, .examples = more},
                                         {.name = "read_word", .run = read_word},
                                         {.name = "magic", .run = magic},
                                         {.name = "text", .run = text},
                                         {.name = "crash", .run = crash}};
    if (getenv("COUNTERS")) __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}

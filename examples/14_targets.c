/* Utilities: sonde_target names a number that the search should make large. The guide `target` searches for it.
 *
 * A ship loads 30 to 40 crates; its hold bears 1000 kg. The bug: from 990 kg on, the check of the trim uses the wrong
 * side. Random cargoes weigh three times the limit and are refused. The utility says "heavier"; the assume says how far
 * a cargo is from being accepted. */
#include <sonde.h>

struct ship {
    int left, right; /* kg on each side */
};

static bool is_trimmed(const struct ship *s)
{
    int lean = s->left - s->right;
    if (s->left + s->right >= 990) return s->left - s->left < 100; /* the bug */
    return lean < 100 && -lean < 100;
}

static void accepted_ships_are_trimmed(sonde *t)
{
    struct ship s = {0, 0};
    sonde_list crates = sonde_list_of(t, "crates", 30, 40);
    while (sonde_more(&crates)) {
        int kg = sonde_int(t, "kg", 1, 200);
        if (sonde_bool(t, "left")) s.left += kg;
        else s.right += kg;
    }
    sonde_target(t, "load", s.left + s.right);
    sonde_assume_that(t, s.left + s.right, <=, 1000);
    sonde_assume(t, is_trimmed(&s));
    sonde_check(t, s.left - s.right < 100 && s.right - s.left < 100);
}

int main(int argc, char **argv)
{
    static const sonde_property property = {.name = "accepted_ships_are_trimmed",
                                            .run = accepted_ships_are_trimmed,
                                            .guide = "target"};
    return sonde_main(argc, argv, &property, 1);
}

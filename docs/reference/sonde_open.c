/* sonde_open: group draws into values.
 * Also: sonde_close sonde_open_again sonde_span sonde_span_again
 * See also: sonde_list_of sonde_show */
#include <sonde.h>

struct point {
    int x, y;
};

static struct point draw_point(sonde *t)
{
    sonde_span(t, "point"); /* closed at the end of the function */
    struct point p = {sonde_int(t, "x", -9, 9), 0};
    p.y = sonde_int(t, "y", -9, 9);
    return p;
}

static void distance_is_symmetric(sonde *t)
{
    struct point a = draw_point(t), b = draw_point(t);
    int ab = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    int ba = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    sonde_check_eq(t, ab, ba);
}

static void equal_seeds_give_equal_results(sonde *t)
{
    int results[2];
    for (int i = 0; i < 2; i++) {
        sonde_open_again(t, "run"); /* the second run draws what the first drew, unless mutation changes it */
        results[i] = sonde_int(t, "seed", 0, 100) % 7;
        sonde_close(t, "run");
    }
    sonde_classify(t, results[0] == results[1], "equal");
    sonde_check_lt(t, results[0], 7);
}

SONDE_MAIN(distance_is_symmetric, equal_seeds_give_equal_results)

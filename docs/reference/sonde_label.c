/* sonde_label: count what the cases were like.
 * Also: sonde_classify sonde_cover
 * See also: sonde_assume sonde_note */
#include <sonde.h>

static void every_kind_of_triangle_is_tested(sonde *t)
{
    int a = sonde_int(t, "a", 1, 9), b = sonde_int(t, "b", 1, 9), c = sonde_int(t, "c", 1, 9);
    sonde_assume(t, a + b > c && b + c > a && a + c > b);
    sonde_classify(t, a == b && b == c, "equilateral");
    sonde_cover(t, 10, a == b || b == c || a == c, "isosceles"); /* fails if fewer than 10 % are */
    sonde_label(t, a + b + c > 15 ? "large" : "small");
    sonde_check_gt(t, a + b + c, 2);
}

SONDE_MAIN(every_kind_of_triangle_is_tested)

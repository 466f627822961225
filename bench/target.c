/* target: utilities, and how many tests it takes to reach the top.
 *
 *   deceptive   a wide hill with a false top, and a steep one a hundredth as wide
 *   plateau     three numbers whose utility counts only whole thousands; the goal is at the far edge of the last
 *   ridge       two numbers that must rise together: a step of one alone always loses
 *   bowl        the square of the distance from a point, in six dimensions
 *   valley      a curved valley (Rosenbrock), in whole numbers
 *   budget      a weighted sum under an assume that limits the plain sum
 *   slope       a weighted sum of twenty numbers
 *   equation    the error of a linear equation
 *   volume      a product of three doubles under an assume that limits their sum
 *   word        how many letters of a string are right
 *   tent        the least of four weighted sums
 *   weighted    the weighted square of the distance from a point, in ten doubles
 *   stairs      the whole root of a product, under an assume that limits a weighted sum
 *   rotated     a narrow ridge at an angle that no pair of equal steps follows
 *   total       the sum of a list of up to twenty numbers
 *   bytes       how many of eight bytes are right
 *   steps       how many picks of a sequence are right, up to the first wrong one
 *   cross       a product of two sums, less a square
 *   chain       three numbers in fixed ratios, by the sum of what they miss
 *   circle      the distance from a circle, and from a point on it
 *   queue       the depth of a stack after forty operations
 *   mixed       the product of a number and the length of a string, under an assume on their sum
 *   noise       a hash, which leads nowhere; one input in 2,000 is the goal
 *
 * Beside `target` there are hill climbing with random restarts and simulated annealing, which hold one input each. */
#include "lib/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 40 };
enum kind { WHOLE, REAL, TEXT, BYTES, PICKS, LIST, LENGTH };

struct landscape {
    const char *name;
    enum kind kind;
    int n;
    double top; /* numbers in 0..top */
    double (*utility)(const double *x);
    bool (*reached)(const double *x);
    bool (*allowed)(const double *x); /* an assume, or NULL */
};

static double deceptive(const double *x)
{
    double wide = fabs(x[0] - 2000) + fabs(x[1] - 2000), steep = fabs(x[0] - 9000) + fabs(x[1] - 9000);
    return fmax(100 - wide / 100, 200 - steep / 2);
}

static bool deceptive_reached(const double *x)
{
    return deceptive(x) >= 199;
}

static double plateau(const double *x)
{
    return floor(x[0] / 1000) + floor(x[1] / 1000) + floor(x[2] / 1000);
}

static bool plateau_reached(const double *x)
{
    return x[0] >= 9900 && x[1] >= 9900 && x[2] >= 9900;
}

static double ridge(const double *x)
{
    return x[0] + x[1] - 1000 * fabs(x[0] - x[1]);
}

static bool ridge_reached(const double *x)
{
    return x[0] > 99000 && fabs(x[0] - x[1]) < 3;
}

static double bowl(const double *x)
{
    static const double at[] = {123456, 987654, 5, 777777, 500000, 31415};
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += (x[i] - at[i]) * (x[i] - at[i]);
    return -sum;
}

static bool bowl_reached(const double *x)
{
    return bowl(x) >= -6;
}

static double valley(const double *x)
{
    double off = x[1] - x[0] * x[0] / 10000;
    return -(100 * off * off + (x[0] - 70000) * (x[0] - 70000));
}

static bool valley_reached(const double *x)
{
    return valley(x) >= -100;
}

static double budget(const double *x)
{
    return 3 * x[0] + 2 * x[1] + 5 * x[2] + 4 * x[3];
}

static bool budget_allowed(const double *x)
{
    return x[0] + x[1] + x[2] + x[3] <= 10000;
}

static bool budget_reached(const double *x)
{
    return budget(x) >= 49950;
}

static double slope(const double *x)
{
    double sum = 0;
    for (int i = 0; i < 20; i++) sum += (i % 3 == 1 ? -1 : 1) * (i + 1) * x[i];
    return sum;
}

static bool slope_reached(const double *x)
{
    bool is_top = true;
    for (int i = 0; i < 20; i++) is_top &= i % 3 == 1 ? x[i] <= 10 : x[i] >= 990;
    return is_top;
}

static double equation(const double *x)
{
    return -fabs(7 * x[0] + 13 * x[1] - 11 * x[2] - 700001);
}

static bool equation_reached(const double *x)
{
    return equation(x) == 0 && x[2] > 50000;
}

static double volume(const double *x)
{
    return x[0] * x[1] * x[2];
}

static bool volume_allowed(const double *x)
{
    return x[0] + x[1] + x[2] <= 30;
}

static bool volume_reached(const double *x)
{
    return volume(x) >= 999;
}

static double word(const double *x)
{
    double n = 0;
    for (int i = 0; i < 12; i++) n += x[i] == "unbelievable"[i];
    return n;
}

static bool word_reached(const double *x)
{
    return word(x) >= 12;
}

static double tent(const double *x)
{
    double a = 3 * x[0] + x[1] - x[2], b = x[2] + 2 * x[3] - x[0], c = 5000 + x[4] - x[1] - x[3], d = 9000 - x[4];
    return fmin(fmin(a, b), fmin(c, d));
}

static bool tent_reached(const double *x)
{
    return tent(x) >= 6450;
}

static double weighted(const double *x)
{
    double sum = 0;
    for (int i = 0; i < 10; i++) sum += (i + 1) * (x[i] - 7 * i - 0.3) * (x[i] - 7 * i - 0.3);
    return -sum;
}

static bool weighted_reached(const double *x)
{
    return weighted(x) >= -1e-2;
}

static double stairs(const double *x)
{
    return floor(sqrt(x[0] * x[1]));
}

static bool stairs_allowed(const double *x)
{
    return x[0] + 2 * x[1] <= 20000;
}

static bool stairs_reached(const double *x)
{
    return stairs(x) >= 7071;
}

static double rotated(const double *x)
{
    double off = 3 * x[0] - 7 * x[1], along = 7 * x[0] + 3 * x[1] - 4000000;
    return -100 * off * off - along * along;
}

static bool rotated_reached(const double *x)
{
    return rotated(x) >= -10000;
}

static double total(const double *x)
{
    double sum = 0;
    for (int i = 0; i < 20; i++) sum += x[i];
    return sum;
}

static bool total_reached(const double *x)
{
    return total(x) >= 19500;
}

static double bytes(const double *x)
{
    static const unsigned char right[] = {200, 3, 77, 0, 255, 130, 64, 9};
    double n = 0;
    for (int i = 0; i < 8; i++) n += x[i] == right[i];
    return n;
}

static bool bytes_reached(const double *x)
{
    return bytes(x) >= 8;
}

static double steps(const double *x)
{
    int n = 0;
    while (n < 12 && x[n] == (n * 5 + 2) % 7) n++;
    return n;
}

static bool steps_reached(const double *x)
{
    return steps(x) >= 12;
}

static double cross(const double *x)
{
    double far = x[0] - x[3];
    return (x[0] + x[1]) * (x[2] + x[3]) - far * far;
}

static bool cross_reached(const double *x)
{
    return cross(x) >= 3999000;
}

static double chain(const double *x)
{
    return -(fabs(x[0] - 3 * x[1]) + fabs(x[1] - 2 * x[2]) + fabs(x[2] - 4000));
}

static bool chain_reached(const double *x)
{
    return chain(x) >= -1;
}

static double circle(const double *x)
{
    double r = hypot(x[0], x[1]);
    return -fabs(r - 65000) - fabs(x[0] - 52000) / 10;
}

static bool circle_reached(const double *x)
{
    return circle(x) >= -1;
}

static double queue(const double *x)
{
    double depth = 0;
    for (int i = 0; i < 40; i++) depth = fmax(0, depth + (x[i] == 1 ? 1 : x[i] == 2 ? -1 : 0));
    return depth;
}

static bool queue_reached(const double *x)
{
    return queue(x) >= 38;
}

static double mixed(const double *x)
{
    return x[0] * x[1];
}

static bool mixed_allowed(const double *x)
{
    return x[0] + 10 * x[1] <= 6000;
}

static bool mixed_reached(const double *x)
{
    return mixed(x) >= 899900;
}

static double noise(const double *x)
{
    uint64_t h = 0;
    for (int i = 0; i < 4; i++) h = (h ^ (uint64_t)x[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    return (double)(h >> 40);
}

static bool noise_reached(const double *x)
{
    return (uint64_t)noise(x) % 2000 == 7;
}

static const struct landscape landscapes[] = {
    {"deceptive", WHOLE, 2, 10000, deceptive, deceptive_reached, NULL},
    {"plateau", WHOLE, 3, 9999, plateau, plateau_reached, NULL},
    {"ridge", WHOLE, 2, 100000, ridge, ridge_reached, NULL},
    {"bowl", WHOLE, 6, 1000000, bowl, bowl_reached, NULL},
    {"valley", WHOLE, 2, 1000000, valley, valley_reached, NULL},
    {"budget", WHOLE, 4, 10000, budget, budget_reached, budget_allowed},
    {"slope", WHOLE, 20, 1000, slope, slope_reached, NULL},
    {"equation", WHOLE, 3, 100000, equation, equation_reached, NULL},
    {"volume", REAL, 3, 30, volume, volume_reached, volume_allowed},
    {"word", TEXT, 12, 0, word, word_reached, NULL},
    {"tent", WHOLE, 5, 10000, tent, tent_reached, NULL},
    {"weighted", REAL, 10, 100, weighted, weighted_reached, NULL},
    {"stairs", WHOLE, 2, 20000, stairs, stairs_reached, stairs_allowed},
    {"rotated", WHOLE, 2, 1000000, rotated, rotated_reached, NULL},
    {"total", LIST, 20, 1000, total, total_reached, NULL},
    {"bytes", BYTES, 8, 0, bytes, bytes_reached, NULL},
    {"steps", PICKS, 12, 7, steps, steps_reached, NULL},
    {"cross", WHOLE, 4, 1000, cross, cross_reached, NULL},
    {"chain", WHOLE, 3, 100000, chain, chain_reached, NULL},
    {"circle", WHOLE, 2, 100000, circle, circle_reached, NULL},
    {"queue", PICKS, 40, 4, queue, queue_reached, NULL},
    {"mixed", LENGTH, 2, 10000, mixed, mixed_reached, mixed_allowed},
    {"noise", WHOLE, 4, 10000, noise, noise_reached, NULL},
};

static void draw(sonde *t, const struct landscape *l, double *x)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";
    if (l->kind == TEXT) {
        const char *text = sonde_string_of(t, "text", "abcdefghijklmnopqrstuvwxyz", 0, (size_t)l->n);
        for (size_t i = 0; text[i]; i++) x[i] = text[i];
        return;
    }
    if (l->kind == BYTES) {
        size_t n;
        const uint8_t *data = sonde_bytes(t, "data", (size_t)l->n, (size_t)l->n, &n);
        for (size_t i = 0; i < n; i++) x[i] = data[i];
        return;
    }
    if (l->kind == LIST) {
        for (sonde_list xs = sonde_list_of(t, "list", 0, (size_t)l->n); sonde_more(&xs);)
            *x++ = sonde_int(t, "number", 0, (int)l->top);
        return;
    }
    if (l->kind == LENGTH) {
        x[0] = sonde_int(t, "number", 0, (int)l->top);
        x[1] = (double)strlen(sonde_string(t, "text", 0, 500));
        return;
    }
    for (int i = 0; i < l->n; i++) {
        char name[2] = {names[i]};
        if (l->kind == REAL) x[i] = sonde_double(t, name, 0, l->top);
        else if (l->kind == PICKS) x[i] = (double)sonde_pick(t, name, (size_t)l->top);
        else x[i] = (double)sonde_int(t, name, 0, (int)l->top);
    }
}

static void property(sonde *t)
{
    const struct landscape *l = sonde_context(t);
    double x[NUMBERS] = {0};
    draw(t, l, x);
    sonde_assume(t, !l->allowed || l->allowed(x));
    sonde_target(t, "height", l->utility(x));
    sonde_check(t, !l->reached(x));
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"found", "tests_to_failure", "cpu_s", NULL};
    static struct bench b = {.suite = "target",
                             .columns = columns,
                             .guides = "uniform,target,hill,anneal",
                             .tests = 100000,
                             .first_seed = 1,
                             .last_seed = 20};
    bench_start(&b, argc, argv);
    for (size_t i = 0; i < sizeof landscapes / sizeof *landscapes; i++) {
        struct landscape l = landscapes[i];
        sonde_property p = {.name = l.name, .run = property, .context = &l};
        if (!bench_wants(&b, l.name)) continue;
        bench_property(&b, l.name, &p);
    }
    return bench_end(&b);
}

/* See calibrate.h. */
#include "zoo/calibrate.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALID_MAX = 4000, /* inputs that witnesses are taken from */
    VALID_LEAST = 30, /* with fewer, an estimate means nothing */
    PROBE_DRAWS =
        12000000,  /* of the first stream at most: random numbers, not cases, so that large types do not take longer */
    HOPELESS = 10, /* a tenth of them must show a tenth of VALID_LEAST */
    VERIFY_DRAWS = 12000000,
    VERIFY_MAX = 1 << 20, /* valid inputs that are kept of the second stream */
    COUNT_LEAST = 20,     /* hits that make p a counted one */
    WITNESSES = 40,       /* tries for one fault */
    SIMPLE_PLACES = 64,
    SIMPLE = 1 + 2 * SIMPLE_PLACES
};

const char *const zoo_how_names[] = {"counted", "split", "product"};

int zoo_decade(double p)
{
    int d = 0;
    for (double x = 10; x * p <= 1 && d < 12; x *= 10) d++;
    return d;
}

/* ---- Running a probe */

struct probing {
    const struct zoo_subject *z;
    zoo_probe *probe;
    struct zoo_source source;
    struct zoo_rng rng; /* of choices that are made here */
    uint32_t valid[VALID_MAX];
    unsigned n_valid;
    uint32_t simple[SIMPLE]; /* atoms that hold in the simplest inputs, where they are valid */
    unsigned n_simple;
    uint32_t *verified;
    unsigned n_verified;
    uint64_t cases;
    double p_valid;
};

static void run(struct probing *c)
{
    struct zoo_source *s = &c->source;
    s->at = 0;
    s->is_valid = s->is_overrun = false;
    s->holds = 0;
    s->passed = s->reached = 0;
    s->used = 0;
    c->probe(s);
}

static uint64_t stream_of(const struct zoo_subject *z, unsigned which)
{
    struct zoo_rng rng = {z->number * UINT64_C(0xd1342543de82ef95) + which};
    return zoo_next(&rng);
}

/* The first stream: inputs to take witnesses from. */
static bool look_for_valid(struct probing *c)
{
    uint64_t draws = 0, cases = 0;
    c->source.answers = ZOO_RANDOM;
    c->source.stream = stream_of(c->z, 1);
    for (; draws < PROBE_DRAWS && c->n_valid < VALID_MAX; cases++) {
        run(c);
        draws += c->source.at + 1;
        if (c->source.is_valid) c->valid[c->n_valid++] = c->source.holds;
        if (draws > PROBE_DRAWS / HOPELESS && c->n_valid < VALID_LEAST / HOPELESS) return false;
    }
    if (c->n_valid < VALID_LEAST) return false;
    c->p_valid = (double)c->n_valid / (double)cases;
    return true;
}

/* The simplest input, and those that differ from it in one draw, by one or two steps: what enumeration has at once. */
static void look_at_simple(struct probing *c)
{
    c->source.answers = ZOO_SIMPLE;
    for (unsigned i = 0; i < SIMPLE; i++) {
        c->source.where = i / 2;
        c->source.step = i == SIMPLE - 1 ? 0 : 1 + i % 2;
        run(c);
        if (c->source.is_valid) c->simple[c->n_simple++] = c->source.holds;
    }
}

static bool is_simple(const struct probing *c, uint32_t atoms)
{
    for (unsigned i = 0; i < c->n_simple; i++)
        if ((c->simple[i] & atoms) == atoms) return true;
    return false;
}

/* ---- A fault, by a witness */

static unsigned count_with(const uint32_t *inputs, unsigned n, uint32_t atoms)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) count += (inputs[i] & atoms) == atoms;
    return count;
}

static void shuffle(struct zoo_rng *rng, unsigned *order, unsigned n)
{
    for (unsigned i = n; i > 1; i--) {
        unsigned k = (unsigned)zoo_below(rng, (int)i), x = order[i - 1];
        order[i - 1] = order[k];
        order[k] = x;
    }
}

/* Adds atoms of the witness until the fault is as rare as wanted. Where few inputs are left that have all of them, the share of an atom
 * among all valid inputs stands for its share among these. Returns the estimate. */
static double grow(struct probing *c, uint32_t witness, double wanted, uint32_t *atoms)
{
    enum { FEW = 30 };
    unsigned order[ZOO_ATOMS], n = 0, depth = 0;
    double p = c->p_valid;
    for (unsigned i = 0; i < c->z->n_atoms; i++)
        if (witness >> i & 1) order[n++] = i;
    shuffle(&c->rng, order, n);
    *atoms = 0;
    for (unsigned i = 0; i < n && depth < ZOO_DEEPEST && p > 1.5 * wanted; i++) {
        uint32_t atom = 1u << order[i];
        unsigned have = count_with(c->valid, c->n_valid, *atoms),
                 with = count_with(c->valid, c->n_valid, *atoms | atom);
        double share = (double)with / (double)have;
        if (share > 0.8 && have >= 4) continue;
        if (have < FEW) share = (double)count_with(c->valid, c->n_valid, atom) / (double)c->n_valid;
        if (share > 0.8 || (p * share < wanted / 3 && depth > 0)) continue;
        *atoms |= atom;
        p *= share;
        depth++;
    }
    return p;
}

/* The fault nearest to what is wanted; false if none is near. */
static bool find_fault(struct probing *c, double wanted, struct zoo_fault *fault)
{
    double least = 12; /* times off */
    for (unsigned i = 0; i < WITNESSES && least > 2; i++) {
        uint32_t atoms, witness = c->valid[zoo_below(&c->rng, (int)c->n_valid)];
        double p = grow(c, witness, wanted, &atoms), off = p > wanted ? p / wanted : wanted / p;
        if (!atoms || off >= least || is_simple(c, atoms)) continue;
        least = off;
        fault->bug.atoms = atoms;
        fault->p = p;
    }
    return least < 12;
}

/* 1/p, somewhere in the decade. */
static double wanted_in(struct zoo_rng *rng, int decade)
{
    static const double steps[] = {1.5, 2, 2.7, 3.5, 4.7, 6.2};
    double x = 1;
    for (int i = 0; i < decade; i++) x *= 10;
    return 1 / (x * ZOO_PICK(rng, steps));
}

static bool is_among(const struct zoo_verdict *v, uint32_t atoms)
{
    for (unsigned i = 0; i < v->n_canaries; i++)
        if (v->canaries[i].bug.atoms == atoms) return true;
    return false;
}

/* Decades are filled by quota: the single fault's is decided by the number, the canaries' continue from there. Rare
 * ones are asked for more often, because more of them turn out to be impossible. */
static void choose_faults(struct probing *c, struct zoo_verdict *v)
{
    static const int quota[] = {2, 6, 3, 5, 4, 6, 5, 6};
    enum { QUOTA = sizeof quota / sizeof *quota };
    unsigned turn = (unsigned)(c->z->number % QUOTA);
    v->one.bug.style = c->z->bug_style;
    v->has_one = find_fault(c, wanted_in(&c->rng, quota[turn]), &v->one);
    for (unsigned i = 0; i < 3 * ZOO_BUGS && v->n_canaries < ZOO_BUGS; i++) {
        struct zoo_fault *f = &v->canaries[v->n_canaries];
        f->bug.style = (enum zoo_bug_style)zoo_below(&c->rng, ZOO_BUG_STYLES);
        double wanted = wanted_in(&c->rng, quota[(turn + i) % QUOTA]);
        if (find_fault(c, wanted, f) && !is_among(v, f->bug.atoms)) v->n_canaries++;
    }
}

/* ---- How likely it is */

static uint32_t atoms_of_all(const struct zoo_verdict *v)
{
    uint32_t atoms = v->has_one ? v->one.bug.atoms : 0;
    for (unsigned i = 0; i < v->n_canaries; i++) atoms |= v->canaries[i].bug.atoms;
    return atoms;
}

/* The second stream. Only atoms of the chosen faults are looked at, which is half of the work. */
static void verify(struct probing *c, struct zoo_verdict *v)
{
    uint64_t draws = 0, valid = 0;
    c->source.answers = ZOO_RANDOM;
    c->source.stream = stream_of(c->z, 2);
    c->source.wanted = atoms_of_all(v);
    for (c->cases = 0; draws < VERIFY_DRAWS; c->cases++) {
        run(c);
        draws += c->source.at + 1;
        if (!c->source.is_valid) continue;
        valid++;
        if (c->n_verified < VERIFY_MAX) c->verified[c->n_verified++] = c->source.holds;
        else break;
    }
    v->p_valid = c->p_valid = (double)valid / (double)c->cases;
    v->draws = (double)draws / (double)c->cases;
}

/* The product of the shares of its atoms among valid inputs, rarest first; those that too few inputs are left for count as
 * independent of the others. */
static double product(const struct probing *c, uint32_t atoms)
{
    double p = c->p_valid;
    uint32_t taken = 0;
    for (uint32_t left = atoms; left; left &= left - 1) {
        uint32_t atom = left & (0u - left);
        unsigned have = count_with(c->verified, c->n_verified, taken),
                 with = count_with(c->verified, c->n_verified, taken | atom);
        unsigned alone = count_with(c->verified, c->n_verified, atom);
        if (with >= COUNT_LEAST) p *= (double)with / (double)have, taken |= atom;
        else p *= (double)(alone ? alone : 1) / (double)c->n_verified;
    }
    return p;
}

/* ---- Splitting: Au and Beck, Estimation of small failure probabilities by subset simulation (2001), on the random
 * numbers themselves. The score of an input is how many preconditions and then atoms it passed; moves draw a few
 * numbers again. */

enum { PARTICLES = 1000, MOVES = 20, LEVELS = 40 };

struct particle {
    int score;
    uint32_t given[ZOO_GIVEN_MAX];
};

enum { WHOLE = 1 << 30 };

static int score(struct probing *c, uint32_t atoms)
{
    run(c);
    const struct zoo_source *s = &c->source;
    if (s->is_overrun) return -1;
    if (!s->is_valid) return 1000 * s->passed + s->reached;
    if ((s->holds & atoms) == atoms) return WHOLE;
    return 1000 * (100 + __builtin_popcount(s->holds & atoms));
}

static uint32_t random_word(struct probing *c)
{
    return (uint32_t)(zoo_next(&c->rng) >> 32);
}

static void start_particle(struct probing *c, struct particle *x, uint32_t atoms)
{
    for (unsigned i = 0; i < ZOO_GIVEN_MAX; i++) c->source.given[i] = random_word(c);
    x->score = score(c, atoms);
    memcpy(x->given, c->source.given, sizeof x->given);
}

/* A walk among inputs that score at least `least`. */
static void move_particle(struct probing *c, struct particle *x, uint32_t atoms, int least)
{
    memcpy(c->source.given, x->given, sizeof x->given);
    for (int i = 0; i < MOVES; i++) {
        unsigned at[3], n = 1 + random_word(c) % 3, range = 1u << (3 + random_word(c) % 5);
        uint32_t old[3];
        for (unsigned k = 0; k < n; k++) {
            at[k] = random_word(c) % range;
            old[k] = c->source.given[at[k]];
            c->source.given[at[k]] = random_word(c);
        }
        int now = score(c, atoms);
        if (now >= least) x->score = now;
        else
            while (n-- > 0) c->source.given[at[n]] = old[n];
    }
    memcpy(x->given, c->source.given, sizeof x->given);
}

static int compare_scores(const void *a, const void *b)
{
    const struct particle *x = *(struct particle *const *)a, *y = *(struct particle *const *)b;
    return (y->score > x->score) - (y->score < x->score);
}

/* The next level: about the best fifth, and above the last. Returns how many are there; 0 if none are above. */
static unsigned next_level(struct particle **order, int last, int *least)
{
    unsigned n = PARTICLES / 5;
    qsort(order, PARTICLES, sizeof *order, compare_scores);
    *least = order[n - 1]->score;
    while (n > 0 && order[n - 1]->score <= last) n--;
    if (n > 0) *least = order[n - 1]->score;
    while (n > 0 && n < PARTICLES && order[n]->score >= *least) n++;
    return n;
}

static double split_levels(struct probing *c, struct particle *now, struct particle *next, uint32_t atoms)
{
    struct particle *order[PARTICLES];
    double p = 1;
    int last = -1;
    for (unsigned i = 0; i < PARTICLES; i++) start_particle(c, &now[i], atoms);
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned whole = 0;
        for (unsigned i = 0; i < PARTICLES; i++) {
            order[i] = &now[i];
            whole += now[i].score == WHOLE;
        }
        if (whole >= PARTICLES / 10) return p * (double)whole / PARTICLES;
        unsigned n = next_level(order, last, &last);
        if (n == 0) return 0;
        p *= (double)n / PARTICLES;
        for (unsigned i = 0; i < PARTICLES; i++) {
            next[i] = *order[random_word(c) % n];
            move_particle(c, &next[i], atoms, last);
        }
        struct particle *x = now;
        now = next;
        next = x;
    }
    return 0;
}

static double split(struct probing *c, uint32_t atoms)
{
    struct particle *particles = malloc(2 * PARTICLES * sizeof *particles);
    if (!particles) abort();
    c->source.answers = ZOO_GIVEN;
    double p = split_levels(c, particles, particles + PARTICLES, atoms);
    free(particles);
    return p;
}

/* Positions mean the same in most inputs, which is what the moves of splitting rely on. */
static bool is_flat(const struct zoo_subject *z)
{
    static const char *const nested[] = {"tree", "term", "calls", "rows", "pair"};
    for (unsigned i = 0; i < z->n_parts; i++)
        for (size_t k = 0; k < sizeof nested / sizeof *nested; k++)
            if (strcmp(z->types[i], nested[k]) == 0) return false;
    return true;
}

static void weigh(struct probing *c, struct zoo_fault *f, bool may_split)
{
    unsigned hits = count_with(c->verified, c->n_verified, f->bug.atoms);
    if (hits >= COUNT_LEAST) {
        f->how = ZOO_COUNTED;
        f->p = (double)hits / (double)c->cases;
        return;
    }
    f->how = ZOO_PRODUCT;
    f->p = product(c, f->bug.atoms);
    double p = may_split && is_flat(c->z) ? split(c, f->bug.atoms) : 0;
    if (p <= 0) return;
    f->how = ZOO_SPLIT;
    f->p = p;
}

static bool is_in_band(const struct zoo_fault *f)
{
    return f->p <= 1e-2 && f->p >= 1e-7;
}

static void weigh_all(struct probing *c, struct zoo_verdict *v)
{
    if (v->has_one) weigh(c, &v->one, true);
    v->has_one = v->has_one && is_in_band(&v->one);
    unsigned kept = 0;
    for (unsigned i = 0; i < v->n_canaries; i++) {
        weigh(c, &v->canaries[i], false);
        if (is_in_band(&v->canaries[i])) v->canaries[kept++] = v->canaries[i];
    }
    v->n_canaries = kept < ZOO_LEAST_CANARIES ? 0 : kept;
}

/* ---- All of it */

static void judge(struct probing *c, struct zoo_verdict *v)
{
    if (!look_for_valid(c)) {
        v->dropped = "hardly ever valid";
        return;
    }
    v->p_valid = c->p_valid;
    if (c->p_valid > 0.9 && zoo_percent(&c->rng, 50)) {
        v->dropped = "nearly always valid, as half of the others";
        return;
    }
    look_at_simple(c);
    choose_faults(c, v);
    if (!v->has_one && v->n_canaries < ZOO_LEAST_CANARIES) {
        v->dropped = "no fault near what was wanted";
        return;
    }
    verify(c, v);
    weigh_all(c, v);
    if (!v->has_one && !v->n_canaries) v->dropped = "its faults are too common or too rare";
}

struct zoo_verdict zoo_calibrate(const struct zoo_subject *z, zoo_probe *probe)
{
    struct zoo_verdict v = {0};
    struct probing *c = calloc(1, sizeof *c);
    uint32_t *verified = malloc(VERIFY_MAX * sizeof *verified);
    if (!c || !verified) abort();
    c->z = z;
    c->probe = probe;
    c->verified = verified;
    c->source.wanted = UINT32_MAX;
    c->rng.s = stream_of(z, 3);
    judge(c, &v);
    free(verified);
    free(c);
    return v;
}

/* See learn_context.h. The state of a draw is derived from the tape, so users write no code for it. In RLCheck (section
 * 4.3) the generator keeps a list of choices that influence the next one; spans show as much by themselves.
 *
 * The site of a draw is its label and the label of its span, not the whole path. So what is learned at one depth holds
 * at all depths. A row is a hash of the site and of one view of the state. A draw has many rows, from coarse to fine,
 * and the model learns which of them matter. Spans that only pass on (lists, elements and wrappers without direct
 * draws) are not counted as parents. So a list between a node and its children does not hide the node.
 *
 * The *edge* from a parent to a child distinguishes left from right. It consists of the last draw of the parent before
 * the child opened, the number of children opened since, and the labels between them. */
#include "guide/rl/learn_context.h"

#include "base/mem.h"
#include "guide/rl/learn_model.h"
#include "guide/rl/learn_value.h"
#include "tape/tape.h"

enum {
    SPAN_WINDOW = 3, /* number of latest choices of the draw's span that are used */
    ANCESTORS = 8,   /* number of spans of the path that are used */
    LOOK_BACK = 24,  /* number of earlier choices that are examined for relations of each kind */
    INHERITED = 4,   /* number of latest choices of the span whose relations are used */
    CHILDREN = 3,    /* children opened since the parent's last choice are counted up to this number */
    LONG = 1 << 20,  /* longer lists count as this long */
    NEAR_END = 8,    /* numbers of elements to come are distinguished up to this number */
    FAR_OFF = 8,     /* balances are distinguished up to this amount */
    LATE = 40,       /* numbers of draws, and of open values, are distinguished up to this number */
    HEAD = 4,        /* number of first constructors of a span that are used */
    MARKED = 4       /* first occurrences of values are remembered in domains whose maximum is below this */
};

/* An open span. Choices are given as hashes of site and value, or as their number + 1 (0: none). */
struct sonde_learn_frame {
    uint32_t span, label, flags;
    uint32_t up; /* index of the frame that counts as the span's parent; the root is its own parent */
    uint32_t edge;
    uint32_t by;       /* label of the parent's last choice before this span opened */
    uint32_t position; /* hash of the edge and the parent's first choice */
    uint32_t first;    /* the first choice of the span; 0: none yet */
    uint32_t first_label;
    int64_t first_value;
    uint32_t last[SPAN_WINDOW]; /* the last choices of the span, latest first */
    uint32_t n;                 /* number of choices of the span */
    uint32_t last_site, last_label;
    uint32_t children;           /* number of children opened since the span's last choice */
    uint32_t previous;           /* first choice of the previous sibling */
    uint32_t youngest;           /* first choice of the latest child */
    uint32_t own, of_children;   /* number + 1 of the span's latest choice, and of the latest choice of its children */
    uint32_t related, related_n; /* number + 1 of the latest choice with relations, and what n was at that choice */
    uint32_t length, opened;     /* length of the list, and number of its elements opened so far */
    uint32_t left;               /* number of elements to come in the innermost list, + 1; 0: in no list */
    /* hash and number of the span's first constructors, including constructors of its children */
    uint32_t head, n_head;
    uint32_t young_head, previous_head; /* `head` of the latest child, and of the previous sibling */
    /* number of frames on the path that count as parents; how many of these began with index 0 */
    int32_t depth, firsts;
    /* levels of the subtree closed so far, of the latest child, and of the previous sibling; + 1 where 0 means none */
    uint32_t levels, young_levels, previous_levels;
    uint32_t traits; /* sum of hashes of the span's choices among few values, in any order */
    uint32_t kind;   /* key of the equations within the span, known when its first child opens; 0: none yet */
    uint32_t needed; /* number of levels that the equations of the parent leave for this span, + 1; 0: unknown */
};

/* A choice before the current draw. */
struct sonde_learn_trace {
    int64_t value;
    uint32_t label, domain, span;
    bool is_number;
    uint32_t before, before_in_siblings; /* number + 1 of the previous choice: in its span, and in its siblings */
    uint32_t n_relations;
    uint32_t relations[LEARN_CLASSES];
};

/* The shift in `join`. Like the last steps of MurmurHash3, `join` uses two odd factors and a shift near half of the
 * width. */
enum { HALF_MIXED = 15 };

static inline uint32_t join(uint32_t a, uint32_t b)
{
    uint32_t x = (a + b * UINT32_C(0x9e3779b1)) * UINT32_C(0x85ebca6b);
    return x ^ (x >> HALF_MIXED);
}

/* ---- Equations within spans
 *
 * "The balance is the height of the right subtree less the height of the left one" holds within each node. No equation
 * over the whole input shows it. The facts of a span are its numbers, its levels, and the numbers and levels of its
 * children. Spans are of one kind if they have the same label and drew the same among few values before their first
 * child opened. For each kind, equations between its facts are learned (learn_balance.h). While a child is drawn, they
 * may leave one number of levels for it, or one value. */

/* Terms of the equations. With the children's terms goes the edge, with numbers the label. */
enum term { OWN_LEVELS = 1, OWN_NUMBER, CHILD_LEVELS, CHILD_NUMBER };

/* Returns the facts of a frame. The pointer is valid until the facts of another frame are asked for. */
static struct sonde_learn_facts *facts_of(struct sonde_learn_context *c, uint32_t frame)
{
    if (frame >= c->cap_facts) c->facts = sonde_grow(c->facts, &c->cap_facts, (size_t)frame + 1, sizeof *c->facts);
    return &c->facts[frame];
}

/* Adds to the value of a term; does nothing if there is no room for a new term. */
static void add_fact(struct sonde_learn_facts *facts, uint32_t key, int64_t value)
{
    uint32_t i = 0;
    while (i < facts->n && facts->keys[i] != key) i++;
    if (i == LEARN_FACTS) return;
    if (i == facts->n) facts->keys[facts->n] = key, facts->values[facts->n++] = 0;
    facts->values[i] += value;
}

/* Returns the value of a term so far, or 0. */
static int64_t fact(const struct sonde_learn_facts *facts, uint32_t key)
{
    for (uint32_t i = 0; i < facts->n; i++)
        if (facts->keys[i] == key) return facts->values[i];
    return 0;
}

/* Returns the equations of a kind, or NULL. */
static struct sonde_learn_balance *equations_of(struct sonde_learn_context *c, uint32_t kind, bool may_add)
{
    for (uint32_t i = 0; i < c->n_kinds; i++)
        if (c->kinds[i].key == kind) return c->kinds[i].equations;
    if (!may_add || c->n_kinds == LEARN_KINDS) return NULL;
    struct sonde_learn_kind *k = &c->kinds[c->n_kinds++];
    *k = (struct sonde_learn_kind){.key = kind, .equations = sonde_calloc(1, sizeof *k->equations)};
    return k->equations;
}

/* Computes the value that the equations within a span leave for a term of a child; returns whether there is one. */
static bool solve(struct sonde_learn_context *c, uint32_t frame, uint32_t key, int64_t *value)
{
    const struct sonde_learn_frame *f = &c->frames[frame];
    struct sonde_learn_balance *b = f->kind ? equations_of(c, f->kind, false) : NULL;
    if (!b || b->n_active == 0) return false;
    struct sonde_learn_facts facts = *facts_of(c, frame);
    if (f->needed) add_fact(&facts, OWN_LEVELS, f->needed);
    return sonde_learn_balance_solve(b, &facts, key, value);
}

/* Notes the facts of a span that closes. */
static void note_closed(struct sonde_learn_context *c, uint32_t frame)
{
    const struct sonde_learn_frame *f = &c->frames[frame];
    if (!f->kind || c->n_closed == LEARN_CLOSED) return;
    if (!c->closed) c->closed = sonde_malloc(LEARN_CLOSED * sizeof *c->closed);
    struct sonde_learn_closed *x = &c->closed[c->n_closed++];
    x->kind = f->kind;
    x->facts = *facts_of(c, frame);
    add_fact(&x->facts, OWN_LEVELS, f->levels + 1);
}

void sonde_learn_context_clear(struct sonde_learn_context *c)
{
    sonde_free(c->frames);
    sonde_free(c->trace);
    for (uint32_t i = 0; i < c->n_kinds; i++) sonde_free(c->kinds[i].equations);
    sonde_free(c->facts);
    sonde_free(c->closed);
}

void sonde_learn_context_begin(struct sonde_learn_context *c)
{
    if (!c->cap_frames) c->frames = sonde_grow(c->frames, &c->cap_frames, 16, sizeof *c->frames);
    c->frames[0] = (struct sonde_learn_frame){.edge = 1};
    c->n_frames = 1;
    c->n_trace = 0;
    c->next_span = 1;
    c->entered = UINT32_MAX;
    c->n_rows = c->n_classes = c->n_members = c->n_marks = c->n_closed = 0;
    if (c->is_deep) facts_of(c, 0)->n = 0;
    sonde_learn_balance_begin(&c->balance);
}

/* ---- Following the tape */

static bool passes_on(const struct sonde_learn_frame *f)
{
    return f->flags & SONDE_SPAN_LIST || f->n == 0;
}

static uint32_t edge_to(const struct sonde_learn_frame *parent, uint32_t label)
{
    if (parent->flags & SONDE_SPAN_LIST) return join(parent->edge, label);
    uint32_t from = passes_on(parent) ? parent->edge : parent->last_site;
    return join(join(from, parent->children < CHILDREN ? parent->children : CHILDREN), label);
}

/* Returns the number of elements to come after the one that opens, + 1. */
static uint32_t left_in(struct sonde_learn_frame *parent, uint32_t flags)
{
    if (!(flags & SONDE_SPAN_ELEMENT)) return parent->left;
    parent->opened++;
    return parent->length > parent->opened ? parent->length - parent->opened + 1 : 1;
}

/* Begins the facts of a span, and computes how many levels its parent leaves for it. */
static void open_facts(struct sonde_learn_context *c, struct sonde_learn_frame *f, struct sonde_learn_frame *up)
{
    int64_t levels = 0;
    facts_of(c, c->n_frames - 1)->n = 0;
    if (f->flags & SONDE_SPAN_LIST) return;
    if (!up->kind) up->kind = join(join(up->label, up->traits), 1) | 1;
    if (solve(c, f->up, join(CHILD_LEVELS, f->edge), &levels))
        f->needed = levels < 1 ? 1 : levels > LATE ? LATE : (uint32_t)levels;
}

/* Closes the innermost span. Its parent learns how many levels it had. */
static void close_span(struct sonde_learn_context *c)
{
    const struct sonde_learn_frame *f = &c->frames[--c->n_frames];
    struct sonde_learn_frame *up = &c->frames[f->up];
    bool is_leaf = f->children == 0 && !(f->flags & SONDE_SPAN_LIST);
    if (passes_on(f) && !is_leaf) return; /* its children have told the parent */
    if (c->is_deep) note_closed(c, c->n_frames);
    if (c->is_deep && !(f->flags & SONDE_SPAN_ELEMENT))
        add_fact(facts_of(c, f->up), join(CHILD_LEVELS, f->edge), f->levels + 1);
    up->young_levels = f->levels + 1;
    if (up->levels < f->levels + 1) up->levels = f->levels + 1;
}

static void open_span(struct sonde_learn_context *c, const struct sonde_tape *tape, uint32_t s)
{
    const struct sonde_tape_span *span = &tape->spans[s];
    while (c->n_frames > 1 && c->frames[c->n_frames - 1].span != span->parent) close_span(c);
    if (c->n_frames >= c->cap_frames)
        c->frames = sonde_grow(c->frames, &c->cap_frames, c->n_frames + 1, sizeof *c->frames);
    struct sonde_learn_frame *parent = &c->frames[c->n_frames - 1];
    uint32_t up = c->n_frames - 1;
    sonde_assert(parent->span == span->parent); /* the frames are the path to this span */
    if (up > 0 && passes_on(parent)) up = parent->up;
    c->frames[c->n_frames++] = (struct sonde_learn_frame){.span = s,
                                                          .label = span->label,
                                                          .flags = span->flags,
                                                          .up = up,
                                                          .edge = edge_to(parent, span->label),
                                                          .by = c->frames[up].last_label,
                                                          .previous = c->frames[up].youngest,
                                                          .previous_head = c->frames[up].young_head,
                                                          .previous_levels = c->frames[up].young_levels,
                                                          .left = left_in(parent, span->flags),
                                                          .depth = c->frames[up].depth + 1,
                                                          .firsts = c->frames[up].firsts};
    struct sonde_learn_frame *f = &c->frames[c->n_frames - 1];
    f->position = join(f->edge, c->frames[up].first);
    parent->children++;
    if (c->is_deep) open_facts(c, f, &c->frames[up]);
}

/* Opens and closes spans up to a choice, which is in `span`. */
static void enter(struct sonde_learn_context *c, const struct sonde_tape *tape, uint32_t span, uint32_t choice)
{
    while (c->next_span < tape->n_spans && tape->spans[c->next_span].start <= choice)
        open_span(c, tape, c->next_span++);
    while (c->n_frames > 1 && c->frames[c->n_frames - 1].span != span) close_span(c);
}

/* Notes the relation of a value to each class. It is a mask with one bit for each range of the difference: < -1, -1, 0,
 * 1, > 1. This is finer than the masks of candidates: it shows whether there is room between two values. */
static void note_relations(struct sonde_learn_context *c, struct sonde_learn_trace *trace)
{
    uint32_t masks[LEARN_CLASSES] = {0};
    for (uint32_t i = 0; i < c->n_members; i++) {
        int64_t m = c->members[i], v = trace->value;
        uint32_t bit = v == m ? 2 : v < m ? (v + 1 == m ? 1 : 0) : (v - 1 == m ? 3 : 4);
        masks[c->class_of[i]] |= 1u << bit;
    }
    trace->n_relations = c->n_classes;
    for (uint32_t k = 0; k < c->n_classes; k++) trace->relations[k] = join(c->classes[k].key, masks[k]);
}

/* Remembers the first occurrence of a value. */
static void set_mark(struct sonde_learn_context *c, const struct sonde_learn_frame *f, uint32_t key)
{
    for (uint32_t i = 0; i < c->n_marks; i++)
        if (c->marks[i].key == key) return;
    if (c->n_marks < LEARN_MARKS)
        c->marks[c->n_marks++] = (struct sonde_learn_mark){.key = key, .depth = f->depth, .firsts = f->firsts};
}

/* Adds a constructor to each open span that has few so far. */
static void add_to_heads(struct sonde_learn_context *c, uint32_t hash)
{
    for (uint32_t i = c->n_frames - 1; i > 0 && c->frames[i].n_head < HEAD; i--) {
        struct sonde_learn_frame *f = &c->frames[i];
        f->head = join(f->head, hash);
        f->n_head++;
        c->frames[f->up].young_head = f->head;
    }
}

/* Adds a choice of the tape to the trace and to its frame. Its relations were computed when it was drawn; they are
 * noted with it and then cleared. */
static void add_choice(struct sonde_learn_context *c, const struct sonde_tape *tape, uint32_t i)
{
    const struct sonde_choice *choice = &tape->choices[i];
    struct sonde_learn_frame *f = &c->frames[c->n_frames - 1], *up = &c->frames[f->up];
    if (i >= c->cap_trace) c->trace = sonde_grow(c->trace, &c->cap_trace, (size_t)i + 1, sizeof *c->trace);
    struct sonde_learn_trace *t = &c->trace[i];
    t->value = sonde_learn_value(tape, choice, choice->index);
    t->label = choice->label;
    t->domain = choice->max > 1 && choice->kind != SONDE_KIND_BLOB
                    ? join(join((uint32_t)choice->max, (uint32_t)choice->base), choice->kind)
                    : 0;
    t->is_number = sonde_learn_is_number(choice);
    t->span = f->span;
    t->n_relations = 0;
    if (c->n_classes) note_relations(c, t);
    if (choice->kind == SONDE_KIND_LENGTH) f->length = t->value < LONG ? (uint32_t)t->value : LONG;
    sonde_learn_balance_add(&c->balance, choice, t->value);
    if (c->is_deep && t->is_number && t->value < LONG && t->value > -LONG) {
        add_fact(facts_of(c, c->n_frames - 1), join(OWN_NUMBER, t->label), t->value);
        if (up != f) add_fact(facts_of(c, f->up), join(join(CHILD_NUMBER, f->edge), t->label), t->value);
    }
    t->before = f->own;
    t->before_in_siblings = up->of_children;
    if (t->domain) {
        f->own = i + 1;
        if (up != f) up->of_children = i + 1;
    }
    uint32_t hash = join(choice->site, sonde_learn_bucket(choice, choice->index));
    if (f->n == 0) {
        f->first = hash;
        f->first_label = choice->label;
        f->first_value = t->value;
        f->firsts += choice->index == 0;
        if (up != f) up->youngest = hash;
    }
    for (int k = SPAN_WINDOW - 1; k > 0; k--) f->last[k] = f->last[k - 1];
    f->last[0] = hash;
    f->last_site = choice->site;
    f->last_label = choice->label;
    f->children = 0;
    f->n++;
    if (choice->max < MARKED) f->traits += hash;
    if (c->is_deep && choice->max < MARKED) set_mark(c, f, hash);
    if (c->is_deep && sonde_choice_is_constructor(choice)) add_to_heads(c, hash);
    if (t->n_relations) {
        f->related = i + 1;
        f->related_n = f->n;
    }
    c->n_trace = i + 1;
    c->n_classes = c->n_members = 0;
}

/* ---- Rows */

/* The rows of the current draw, while they are made. */
struct rows {
    uint32_t site;
    uint32_t *end;
};

/* The number of all rows that the functions below can add: own, path, siblings, inherited, balance, marks, heads,
 * levels, state. */
_Static_assert(2 + SPAN_WINDOW + 4 + ANCESTORS + 2 + LEARN_CLASSES + 3 + 2 * LEARN_ACTIVE + 1 + 3 * LEARN_MARKS + 3 + 3
                       + 1
                   <= LEARN_ROWS,
               "more rows than there is room for");

/* Kinds of views of the state. Their numbers enter the rows of saved weights, so they must not change. */
enum view {
    VIEW_SITE = 1,              /* the site alone */
    VIEW_LAST = 2,              /* the last choices of the span */
    VIEW_FIRST = 3,             /* the first choice of the span */
    VIEW_POSITION = 4,          /* edge and first choice of the parent */
    VIEW_POSITION_FIRST = 5,    /* VIEW_POSITION, and the first choice of the span */
    VIEW_GRANDPARENT = 6,       /* VIEW_POSITION of the span and of its parent */
    VIEW_EDGE_LAST = 7,         /* edge and last choice of the parent */
    VIEW_ANCESTOR = 8,          /* VIEW_POSITION of each span on the path */
    VIEW_SIBLING = 9,           /* first choice of the previous sibling */
    VIEW_SIBLING_POSITION = 10, /* VIEW_SIBLING and VIEW_POSITION */
    VIEW_RELATION = 11,         /* relations of the span's last choice that had relations */
    VIEW_LEFT = 12,             /* number of elements still to come in the list */
    VIEW_BALANCE = 13,          /* amount that an equation still lacks */
    VIEW_BALANCE_WHEN = 14,     /* VIEW_BALANCE, and how near the end of the list or span is */
    VIEW_TOP = 15,              /* the open value on top of the stack */
    VIEW_OPEN = 16,             /* how many values are open, and how near the end of the list or span is */
    VIEW_STATE = 17,            /* the user's sonde_state */
    VIEW_DEPTH = 18,            /* depth */
    VIEW_FIRSTS = 19,           /* number of spans on the path that began with index 0, relative to a mark */
    VIEW_FIRSTS_NEAR = 20,   /* VIEW_FIRSTS, and the first choice of the span, or of its parent if the span has none */
    VIEW_MARK_DEPTH = 21,    /* depth relative to a mark */
    VIEW_CHILD_HEAD = 22,    /* the first constructors in the latest child */
    VIEW_SIBLING_HEAD = 23,  /* the first constructors in the previous sibling, and VIEW_POSITION */
    VIEW_SIBLING_LAST = 24,  /* the first constructors in the previous sibling, and the span's last choice */
    VIEW_LEVELS = 25,        /* levels of the nearest closed subtree on the path, less how far down this draw is */
    VIEW_LEVELS_TRAITS = 26, /* VIEW_LEVELS, and what the spans from there to here drew among few values */
    VIEW_NEEDED = 27         /* number of levels that the equations within the parent leave for the span */
};

/* Appends a row: a hash of the site, the kind of view and the view itself. */
static inline void add_row(struct rows *r, enum view tag, uint32_t view)
{
    uint32_t x = ((view ^ r->site) + (uint32_t)tag * UINT32_C(0x632be5ab)) * UINT32_C(0xc2b2ae35);
    *r->end++ = x >> (32 - LEARN_BITS);
}

static void add_own_rows(struct rows *r, const struct sonde_learn_frame *f)
{
    uint32_t window = 1;
    add_row(r, VIEW_SITE, 0);
    for (uint32_t k = 0; k < SPAN_WINDOW && k <= f->n; k++) add_row(r, VIEW_LAST, window = join(window, f->last[k]));
    if (f->n >= 2) add_row(r, VIEW_FIRST, f->first);
}

static void add_path_rows(struct rows *r, const struct sonde_learn_context *c, const struct sonde_learn_frame *f)
{
    if (f == c->frames) return;
    const struct sonde_learn_frame *up = &c->frames[f->up];
    add_row(r, VIEW_POSITION, f->position);
    if (f->n) add_row(r, VIEW_POSITION_FIRST, join(f->position, f->first));
    if (up->n > 1) add_row(r, VIEW_EDGE_LAST, join(f->edge, up->last[0]));
    if (up == c->frames) return;
    add_row(r, VIEW_GRANDPARENT, join(f->position, up->position));
    for (int k = 0; k < ANCESTORS && up != c->frames; k++, up = &c->frames[up->up])
        add_row(r, VIEW_ANCESTOR, up->position);
}

static void add_sibling_rows(struct rows *r, const struct sonde_learn_frame *f)
{
    if (!f->previous) return;
    add_row(r, VIEW_SIBLING, f->previous);
    add_row(r, VIEW_SIBLING_POSITION, join(f->previous, f->position));
}

/* Adds rows for the latest child and for the previous sibling: a draw between two children depends on the first. */
static void add_head_rows(struct rows *r, const struct sonde_learn_frame *f)
{
    if (f->young_head) add_row(r, VIEW_CHILD_HEAD, f->young_head);
    if (!f->previous_head) return;
    add_row(r, VIEW_SIBLING_HEAD, join(f->previous_head, f->position));
    if (f->n) add_row(r, VIEW_SIBLING_LAST, join(f->previous_head, f->last[0]));
}

static void add_inherited_rows(struct rows *r, const struct sonde_learn_context *c, const struct sonde_learn_frame *f)
{
    if (!f->related || f->n - f->related_n >= INHERITED) return;
    const struct sonde_learn_trace *t = &c->trace[f->related - 1];
    for (uint32_t k = 0; k < t->n_relations; k++) add_row(r, VIEW_RELATION, t->relations[k]);
}

static uint32_t clip(int64_t x, int64_t limit)
{
    return (uint32_t)(x > limit ? limit : x < -limit ? -limit : x);
}

/* Adds rows for the amount that is missing and how near the end is, by elements to come or by draws already made. */
static void add_balance_rows(struct rows *r, const struct sonde_learn_context *c, const struct sonde_learn_frame *f,
                             uint32_t site)
{
    const struct sonde_learn_balance *b = &c->balance;
    uint32_t left = f->left < NEAR_END ? f->left : NEAR_END;
    uint32_t when = f->left ? left : NEAR_END + 1 + (f->n < LATE ? f->n : LATE);
    if (left) add_row(r, VIEW_LEFT, join(left, 0));
    bool is_sum = false;
    for (uint32_t i = 0; i < b->n_active; i++) {
        if (sonde_learn_balance_factor(b, i, site, &is_sum) == 0) continue;
        uint32_t balance = join(b->equations[b->active[i]].key, clip(b->balances[i], FAR_OFF));
        add_row(r, VIEW_BALANCE, balance);
        add_row(r, VIEW_BALANCE_WHEN, join(balance, when));
    }
    if (!b->has_pair) return;
    uint32_t top = b->depth == 0 ? 0 : b->depth <= LEARN_STACK ? b->stack[b->depth - 1] + 1u : 255;
    add_row(r, VIEW_TOP, join(top, 0));
    add_row(r, VIEW_OPEN, join(clip(b->depth, LATE), when));
}

/* Adds rows for counts along the path, relative to the first occurrence of each value: "as deep as the first leaf". */
static void add_mark_rows(struct rows *r, const struct sonde_learn_context *c, const struct sonde_learn_frame *f)
{
    add_row(r, VIEW_DEPTH, join((uint32_t)f->depth, 0));
    uint32_t nearest = f->n ? f->first : c->frames[f->up].first;
    for (uint32_t i = 0; i < c->n_marks; i++) {
        const struct sonde_learn_mark *m = &c->marks[i];
        uint32_t firsts = join(m->key, clip(f->firsts - m->firsts, 2));
        add_row(r, VIEW_FIRSTS, firsts);
        add_row(r, VIEW_FIRSTS_NEAR, join(firsts, nearest));
        add_row(r, VIEW_MARK_DEPTH, join(m->key, clip(f->depth - m->depth, 2)));
    }
}

/* Adds rows for the levels that are left for this draw's subtree. In a balanced tree these are
 * about the levels of the nearest closed subtree on the path, less the levels down from there. Choices of the spans
 * between may shift the number. The equations
 * within the parent, if they are known, give the number itself. */
static void add_level_rows(struct rows *r, const struct sonde_learn_context *c, const struct sonde_learn_frame *f)
{
    uint32_t traits = 0;
    if (f->needed) add_row(r, VIEW_NEEDED, join(f->needed, 0));
    for (int32_t k = 0; k < ANCESTORS && f != c->frames; k++) {
        const struct sonde_learn_frame *up = &c->frames[f->up];
        traits += up->traits;
        if (f->previous_levels) {
            uint32_t levels = clip((int64_t)f->previous_levels - k, FAR_OFF);
            add_row(r, VIEW_LEVELS, join(levels, 1));
            add_row(r, VIEW_LEVELS_TRAITS, join(join(levels, up->traits), traits));
            return;
        }
        f = up;
    }
}

/* ---- Relations */

/* Adds a member to its class. `extra` distinguishes classes of one kind and label. */
static void add_member(struct sonde_learn_context *c, enum sonde_learn_sort sort, uint32_t label, uint32_t extra,
                       int64_t value)
{
    uint32_t key = join(join(sort, extra), label), k = 0;
    while (k < c->n_classes && c->classes[k].key != key) k++;
    if (c->n_members == LEARN_MEMBERS || k == LEARN_CLASSES) return;
    struct sonde_learn_class *class = &c->classes[k];
    if (k == c->n_classes) {
        *class = (struct sonde_learn_class){.key = key, .sort = sort, .label = label, .min = value, .max = value};
        c->n_classes++;
    }
    if (value < class->min) class->min = value;
    if (value > class->max) class->max = value;
    sonde_assert(k < c->n_classes && class->min <= value && value <= class->max);
    c->class_of[c->n_members] = (uint8_t)k;
    c->members[c->n_members++] = value;
}

/* The current draw, for deciding with which values it can be compared. */
struct drawn {
    uint32_t label, domain;
    bool is_number;
};

static bool is_similar(const struct sonde_learn_trace *t, const struct drawn *d)
{
    return t->label == d->label || t->domain == d->domain;
}

static bool is_comparable(const struct sonde_learn_trace *t, const struct drawn *d)
{
    return is_similar(t, d) || (t->is_number && d->is_number);
}

static void relate_to_own(struct sonde_learn_context *c, const struct sonde_learn_frame *f, const struct drawn *d)
{
    uint32_t i = f->own;
    bool is_nearest = true;
    for (int k = 0; i && k < LOOK_BACK; k++, i = c->trace[i - 1].before) {
        const struct sonde_learn_trace *t = &c->trace[i - 1];
        if (!is_comparable(t, d)) continue;
        if (is_nearest) add_member(c, LEARN_OWN_NEAREST, t->label, 0, t->value);
        add_member(c, LEARN_OWN, t->label, 0, t->value);
        is_nearest = false;
    }
}

/* Reports whether the draw before t in its sibling has the same value as the last draw of this span. Then t and the
 * current draw follow equal values, and are compared. */
static bool follows_the_same(const struct sonde_learn_context *c, const struct sonde_learn_frame *f,
                             const struct sonde_learn_trace *t)
{
    if (!f->own || !t->before) return false;
    const struct sonde_learn_trace *mine = &c->trace[f->own - 1], *its = &c->trace[t->before - 1];
    return mine->label == its->label && mine->value == its->value;
}

static void relate_to_siblings(struct sonde_learn_context *c, const struct sonde_learn_frame *f, const struct drawn *d)
{
    uint32_t i = f == c->frames ? 0 : c->frames[f->up].of_children;
    bool is_nearest = true;
    for (int k = 0; i && k < LOOK_BACK; k++, i = c->trace[i - 1].before_in_siblings) {
        const struct sonde_learn_trace *t = &c->trace[i - 1];
        if (t->span == f->span || !is_similar(t, d)) continue;
        if (is_nearest) add_member(c, LEARN_SIBLING_NEAREST, t->label, 0, t->value);
        add_member(c, LEARN_SIBLINGS, t->label, 0, t->value);
        if (t->label == d->label && follows_the_same(c, f, t)) add_member(c, LEARN_PAIRED, t->label, 0, t->value);
        is_nearest = false;
    }
}

/* Adds the latest values of each ancestor, by the edge that leads down from it: "less than all nodes that it is left
 * of". */
static void relate_to_ancestors(struct sonde_learn_context *c, const struct sonde_learn_frame *f, const struct drawn *d)
{
    for (int level = 0; level < ANCESTORS && f != c->frames; level++) {
        const struct sonde_learn_frame *below = f;
        f = &c->frames[f->up];
        uint32_t i = f->own;
        for (int k = 0; i && k < 3; k++, i = c->trace[i - 1].before) {
            const struct sonde_learn_trace *t = &c->trace[i - 1];
            if (!is_similar(t, d) && (level > 0 || !is_comparable(t, d))) continue;
            uint32_t before = c->n_classes;
            add_member(c, LEARN_ANCESTORS, t->label, below->edge, t->value);
            if (c->n_classes > before) c->classes[before].by = below->by;
        }
    }
}

/* Adds the value that would balance an equation, as if it were an earlier value. */
static void relate_to_balances(struct sonde_learn_context *c, const struct sonde_learn_frame *f,
                               const struct sonde_choice *point)
{
    const struct sonde_learn_balance *b = &c->balance;
    uint32_t left = f->left < 3 ? f->left : 3;
    for (uint32_t i = 0; i < b->n_active; i++) {
        bool is_sum = false;
        int32_t factor = sonde_learn_balance_factor(b, i, point->site, &is_sum);
        if (!is_sum || b->balances[i] % factor) continue;
        add_member(c, LEARN_BALANCE, left, b->equations[b->active[i]].key, -b->balances[i] / factor);
    }
}

/* Adds the value that the equations within the parent leave. */
static void relate_to_parent(struct sonde_learn_context *c, const struct sonde_learn_frame *f,
                             const struct sonde_choice *point)
{
    uint32_t key = join(join(CHILD_NUMBER, f->edge), point->label), left = f->left < 3 ? f->left : 3;
    int64_t value = 0;
    if (!solve(c, f->up, key, &value)) return;
    add_member(c, LEARN_PARENT, left, point->label, value - fact(facts_of(c, f->up), key));
}

/* Adds the element that is as far from the start of the list as this one is from its end. */
static void relate_to_mirror(struct sonde_learn_context *c, const struct sonde_learn_frame *f, const struct drawn *d)
{
    if (!(f->flags & SONDE_SPAN_ELEMENT) || f->left == 0) return;
    const struct sonde_learn_frame *list = f - 1;
    if (list->opened <= f->left) return;
    uint32_t back = list->opened - f->left, i = c->frames[f->up].of_children;
    for (int k = 0; i && k < 2 * LOOK_BACK; k++, i = c->trace[i - 1].before_in_siblings) {
        const struct sonde_learn_trace *t = &c->trace[i - 1];
        if (t->span == f->span || t->label != d->label || --back > 0) continue;
        add_member(c, LEARN_MIRROR, t->label, 0, t->value);
        return;
    }
}

static void relate(struct sonde_learn_context *c, const struct sonde_learn_frame *f, const struct sonde_choice *point)
{
    struct drawn d = {.label = point->label,
                      .domain = join(join((uint32_t)point->max, (uint32_t)point->base), point->kind),
                      .is_number = sonde_learn_is_number(point)};
    if (d.is_number) relate_to_balances(c, f, point);
    if (c->is_deep) relate_to_mirror(c, f, &d);
    if (c->is_deep && d.is_number && f != c->frames) relate_to_parent(c, f, point);
    relate_to_own(c, f, &d);
    relate_to_siblings(c, f, &d);
    relate_to_ancestors(c, f, &d);
}

/* Adds the choices that the tape has gained, then computes the rows of the current draw. */
void sonde_learn_context_follow(struct sonde_learn_context *c, const struct sonde_tape *tape,
                                const struct sonde_choice *point, uint32_t i)
{
    for (; c->n_trace < i; add_choice(c, tape, c->n_trace))
        if (c->n_trace != c->entered) enter(c, tape, tape->choices[c->n_trace].span, c->n_trace);
    enter(c, tape, point->span, i);
    c->entered = i;
    const struct sonde_learn_frame *f = &c->frames[c->n_frames - 1];
    struct rows r = {.site = join(point->site, 0), .end = c->rows};
    add_own_rows(&r, f);
    add_path_rows(&r, c, f);
    add_sibling_rows(&r, f);
    add_inherited_rows(&r, c, f);
    add_balance_rows(&r, c, f, point->site);
    if (c->is_deep) {
        add_mark_rows(&r, c, f);
        add_head_rows(&r, f);
        add_level_rows(&r, c, f);
    }
    if (point->state) add_row(&r, VIEW_STATE, join(point->state, 0));
    sonde_assert(r.end - c->rows <= LEARN_ROWS);
    *r.end = LEARN_TABLE; /* a row of zeros, so that rows can be added up in pairs */
    c->n_rows = (uint32_t)(r.end - c->rows);
    c->n_classes = c->n_members = 0;
    if (point->max > 1 && point->kind != SONDE_KIND_BLOB) relate(c, f, point);
}

void sonde_learn_context_end(struct sonde_learn_context *c, const struct sonde_tape *tape, bool is_valid)
{
    if (!c->is_deep) return;
    for (; c->n_trace < tape->n_choices; add_choice(c, tape, c->n_trace))
        if (c->n_trace != c->entered) enter(c, tape, tape->choices[c->n_trace].span, c->n_trace);
    while (c->next_span < tape->n_spans) open_span(c, tape, c->next_span++);
    while (c->n_frames > 1) close_span(c);
    note_closed(c, 0);
    for (uint32_t i = 0; i < c->n_closed; i++) {
        struct sonde_learn_balance *b = equations_of(c, c->closed[i].kind, is_valid);
        if (b) sonde_learn_balance_learn_facts(b, &c->closed[i].facts, is_valid);
    }
}

uint32_t sonde_learn_context_relations(const struct sonde_learn_context *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_kinds; i++) n += c->kinds[i].equations->n_active > 0;
    return n;
}

struct sonde_learn_state sonde_learn_context_state(const struct sonde_learn_context *c)
{
    const struct sonde_learn_frame *f = &c->frames[c->n_frames - 1], *up = &c->frames[f->up];
    if (f == c->frames) return (struct sonde_learn_state){0};
    return (struct sonde_learn_state){.key = f->position | 1,
                                      .label = up->first_label,
                                      .value = up->first_value,
                                      .by = f->by};
}

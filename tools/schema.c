/* See schema.h. */
#include "schema.h"

#include "base/mem.h"

#include <sonde/mutants.h>

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- Copies of the source */

void schema_copy_to(struct schema *s, uint32_t i)
{
    const char *to = s->tokens->all[i].at;
    text_put_n(&s->out, s->done, (size_t)(to - s->done));
    s->done = to;
}

void schema_copy_before(struct schema *s, uint32_t i)
{
    const struct sonde_token *last = &s->tokens->all[i - 1];
    text_put_n(&s->out, s->done, (size_t)(last->at + last->n - s->done));
    s->done = last->at + last->n;
}

static void put_token(struct schema *s, uint32_t i)
{
    text_put_n(&s->out, " ", 1);
    text_put_n(&s->out, s->tokens->all[i].at, s->tokens->all[i].n);
}

/* Writes [a, b) on one line, with an edit; NULL: as it is. */
static void put_range(struct schema *s, uint32_t a, uint32_t b, const struct edit *e)
{
    for (uint32_t i = a; i < b; i++) {
        bool is_at = e && e->at == i;
        if (e && e->x == i && e->form == EDIT_BINARY) text_put(&s->out, " ((");
        if (e && e->x == i && e->form == EDIT_NOT) text_put(&s->out, " !(");
        if (is_at && e->form == EDIT_BINARY) text_put(&s->out, ") %s (", e->op);
        else if (is_at && e->form == EDIT_TOKEN) text_put(&s->out, " %s", e->op);
        else if (is_at && e->form == EDIT_VALUE) {
            text_put(&s->out, " (");
            put_token(s, i);
            text_put(&s->out, " %s)", e->op);
        } else put_token(s, i);
        if (e && e->y == i + 1 && e->form == EDIT_BINARY) text_put(&s->out, "))");
        if (e && e->y == i + 1 && e->form == EDIT_NOT) text_put(&s->out, ")");
    }
}

/* Writes a marker: compilers report the code after it at this location. */
static void mark(struct schema *s, const char *file, uint32_t number)
{
    if (s->is_marked) text_put(&s->out, "\n# %u \"%s\"\n", (unsigned)number, file);
}

/* Writes a marker for the location of a token. */
static void mark_token(struct schema *s, uint32_t i)
{
    const struct sonde_token *t = &s->tokens->all[i];
    if (!s->is_marked) return;
    text_put(&s->out, "\n# %u ", (unsigned)t->line);
    text_put_n(&s->out, s->tokens->markers[t->marker], strlen(s->tokens->markers[t->marker]));
    text_put(&s->out, "\n");
}

/* ---- The table */

/* Strings of the table are cut at this length; a reader wants a line. */
enum { SHOWN_MAX = 160 };

/* Appends n bytes as the inside of a C string; blanks become one space. */
static void put_escaped(struct text *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)from[i];
        if (isspace(c) && i > 0 && isspace((unsigned char)from[i - 1])) continue;
        if (isspace(c)) text_put_n(to, " ", 1);
        else if (c < 32 || c > 126) text_put(to, "\\%03o", c);
        else if (c == '"' || c == '\\' || c == '?') text_put(to, "\\%c", c); /* \?: no trigraphs */
        else text_put_n(to, (const char *)&c, 1);
    }
}

/* Appends n bytes of the source: as a part of a C string in the table, as they are in the list of rejected mutants. */
static void put_shown(const struct schema *s, struct text *to, const char *from, size_t n)
{
    if (to == s->dropped) text_put_n(to, from, n);
    else put_escaped(to, from, n);
}

/* Returns the end of the tokens from a on, at most b, that are on the line of token a. */
static uint32_t end_of_line(const struct schema *s, uint32_t a, uint32_t b)
{
    const struct sonde_token *t = s->tokens->all;
    uint32_t i = a + 1;
    while (i < b && t[i].line == t[a].line) i++;
    return i;
}

/* Appends the tokens [a, b) for people: each line as written, else with blanks where the preprocessed source has
 * some. */
static void show(const struct schema *s, struct text *to, uint32_t a, uint32_t b)
{
    uint32_t shown = 0, n;
    for (uint32_t i = a, end; i < b; i = end) {
        const struct sonde_token *t = s->tokens->all;
        end = end_of_line(s, i, b);
        if (i > a && t[i - 1].at + t[i - 1].n < t[i].at) text_put_n(to, " ", 1);
        const char *written = origin_written(s->origin, i, end, &n);
        if (written && n < SHOWN_MAX) {
            put_shown(s, to, written, n);
            shown += n;
        } else {
            end = i + 1; /* one token, and then the rest of the line */
            put_shown(s, to, t[i].at, t[i].n);
            shown += t[i].n + 1;
        }
        if (shown < SHOWN_MAX || end == b) continue;
        text_put(to, " ...");
        return;
    }
}

/* Appends the range of an edit as it is after the edit. */
static void show_edited(const struct schema *s, struct text *to, const struct edit *e)
{
    if (e->form == EDIT_DROP) return;
    if (e->form == EDIT_NOT) text_put(to, "!(");
    show(s, to, e->x, e->form == EDIT_NOT ? e->y : e->form == EDIT_VALUE ? e->y : e->at);
    bool has_blank =
        e->at > e->x && s->tokens->all[e->at].at > s->tokens->all[e->at - 1].at + s->tokens->all[e->at - 1].n;
    if (e->form == EDIT_BINARY || e->form == EDIT_VALUE) text_put(to, " ");
    else if (e->form == EDIT_TOKEN && has_blank) text_put(to, " ");
    if (e->form == EDIT_NOT) {
        text_put(to, ")");
        return;
    }
    text_put(to, "%s", e->op);
    if (e->form == EDIT_VALUE) return;
    if (e->form == EDIT_BINARY || has_blank) text_put(to, " ");
    show(s, to, e->at + 1, e->y);
}

/* Appends a row of the table. The location is the edit's: its operator or literal, else its start. */
static void put_row(struct schema *s, const struct edit *e, bool is_watched)
{
    uint32_t i = e->form == EDIT_NOT || e->form == EDIT_DROP ? e->x : e->at, column;
    const struct sonde_token *t = &s->tokens->all[i];
    const char *macro = origin_macro(s->origin, i, &column), *path = origin_path(s->origin, t->marker);
    struct text *to = &s->table;
    text_put(to, "{%u,%u,%u,%u,%u,%u,\"", (unsigned)s->n_live_sites, (unsigned)t->line, (unsigned)column,
             (unsigned)s->statement, e->kind, e->hints | (is_watched ? 0U : SONDE_MUTANT_UNWATCHED_));
    put_escaped(to, path, strlen(path));
    text_put(to, "\",\"%.*s\",", (int)(s->n_function < 200 ? s->n_function : 200), s->function ? s->function : "");
    if (macro) text_put(to, "\"%s\",\"", macro);
    else text_put(to, "0,\"");
    show(s, to, e->x, e->y);
    text_put(to, "\",\"");
    show_edited(s, to, e);
    text_put(to, "\"},\n");
}

/* ---- Sites */

static bool is_set(const bool *set, uint32_t cap, uint32_t i)
{
    return i < cap && set[i];
}

/* Lists a mutant that is rejected, with the compiler's reason. */
static void note_dropped(struct schema *s, const struct edit *e, uint32_t number)
{
    const struct sonde_token *t = &s->tokens->all[e->at < e->y ? e->at : e->x];
    const struct rejected *r = s->rejected;
    if (!s->dropped) return;
    text_put(s->dropped, "%.500s:%u: `", origin_path(s->origin, t->marker), (unsigned)t->line);
    show(s, s->dropped, e->x, e->y);
    text_put(s->dropped, "` as `");
    show_edited(s, s->dropped, e);
    text_put(s->dropped, "`: %.300s\n",
             number < r->cap_reasons && r->reasons[number] ? r->reasons[number] : "rejected");
}

/* Numbers a site. Returns whether it has a mutant left, and may be written at all. */
static bool begin(struct schema *s, const struct site *site)
{
    const struct rejected *r = s->rejected;
    const struct sonde_token *t = &s->tokens->all[site->a];
    bool has_any = false;
    s->n_sites++;
    for (uint32_t i = 0; i < site->n; i++)
        has_any = has_any || !is_set(r->mutants, r->cap_mutants, s->n_mutants + 1 + i);
    bool is_out = is_set(r->sites, r->cap_sites, s->n_sites) || is_set(r->lines, r->cap_lines, t->line);
    if (has_any && !is_out && !origin_forbids(s->origin, t->marker, t->line)) {
        s->n_live_sites++;
        return true;
    }
    for (uint32_t i = 0; i < site->n; i++)
        if (is_set(r->mutants, r->cap_mutants, ++s->n_mutants)) note_dropped(s, &site->edits[i], s->n_mutants);
    return false;
}

/* Writes an operand for WATCH_PARTS: its variable, or its tokens with an edit. */
static void put_part(struct schema *s, const char *variable, uint32_t a, uint32_t b, const struct edit *e)
{
    text_put(&s->out, "(");
    if (variable) text_put(&s->out, "%s", variable);
    else put_range(s, a, b, e);
    text_put(&s->out, ")");
}

/* Writes an alternative: the range with an edit, or as it is. `names`: operands with side effects are in variables. */
static void put_alternative(struct schema *s, const struct site *site, const struct edit *e, bool names)
{
    bool is_whole = e && e->x == site->a && e->y == site->b, is_operator = is_whole && e->form == EDIT_BINARY;
    text_put(&s->out, site->is_truth ? "!!(" : "(");
    if (!names) put_range(s, site->a, site->b, e);
    else {
        if (is_whole && e->form == EDIT_NOT) text_put(&s->out, "!(");
        put_part(s, site->has_effects[0] ? "sonde_l_" : NULL, site->a, site->at, is_whole ? NULL : e);
        if (is_operator) text_put(&s->out, " %s ", e->op);
        else put_token(s, site->at);
        put_part(s, site->has_effects[1] ? "sonde_r_" : NULL, site->at + 1, site->b, is_whole ? NULL : e);
        if (is_whole && e->form == EDIT_NOT) text_put(&s->out, ")");
    }
    text_put(&s->out, ")");
}

/* Writes the choice among the mutants of a site, and adds those to the table. */
static void put_choice(struct schema *s, const struct site *site, bool is_watched, bool names)
{
    const struct rejected *r = s->rejected;
    for (uint32_t i = 0; i < site->n; i++) {
        if (is_set(r->mutants, r->cap_mutants, ++s->n_mutants)) {
            note_dropped(s, &site->edits[i], s->n_mutants);
            continue;
        }
        text_put(&s->out, "sonde_mutant_now_.mutant == %uu ? ", (unsigned)++s->n_live);
        mark(s, "sonde-mutant", s->n_mutants);
        put_alternative(s, site, &site->edits[i], names);
        mark(s, "sonde-site", s->n_sites);
        text_put(&s->out, " : ");
        put_row(s, &site->edits[i], is_watched);
    }
    put_alternative(s, site, NULL, names);
}

/* Declares a variable with the value of an operand. */
static void put_operand(struct schema *s, const char *name, uint32_t a, uint32_t b)
{
    text_put(&s->out, "__auto_type %s = (", name);
    put_range(s, a, b, NULL);
    text_put(&s->out, "); ");
}

/* Writes the value that an assignment gives its left side: e for x = e, x + e for x += e. `op`, if not NULL, replaces
 * its operator. */
static void put_assigned(struct schema *s, const struct site *site, const char *op)
{
    const struct sonde_token *t = &s->tokens->all[site->at];
    uint32_t n = op ? (uint32_t)strlen(op) : t->n;
    text_put(&s->out, "(__typeof__(");
    put_range(s, site->a, site->at, NULL);
    text_put(&s->out, "))(");
    if (n > 1) {
        put_part(s, NULL, site->a, site->at, NULL);
        text_put(&s->out, " %.*s ", (int)n - 1, op ? op : t->at);
    }
    put_part(s, NULL, site->at + 1, site->end, NULL);
    text_put(&s->out, ")");
}

bool schema_open(struct schema *s, const struct site *site)
{
    if (!begin(s, site)) return false;
    bool may_watch = !is_set(s->rejected->watches, s->rejected->cap_watches, s->n_sites);
    enum watch watch = may_watch ? site->watch : WATCH_NONE;
    bool names = watch == WATCH_PARTS, compares = watch == WATCH_BOTH || names;
    schema_copy_to(s, site->a);
    mark(s, "sonde-site", s->n_sites);
    text_put(&s->out, "(sonde_mutant_hit_[%u] = 1, __builtin_expect(sonde_mutant_now_.site == %uu, 0) ? (",
             (unsigned)s->n_live_sites, (unsigned)s->n_live_sites);
    if (watch == WATCH_DIFFERS) text_put(&s->out, "sonde_mutant_same_(0), ");
    if (watch == WATCH_ASSIGNED) {
        mark(s, "sonde-watch", s->n_sites);
        text_put(&s->out, "sonde_mutant_now_.watch ? sonde_mutant_same_(");
        put_assigned(s, site, NULL);
        text_put(&s->out, " == ");
        put_assigned(s, site, site->edits->op);
        text_put(&s->out, ") : (void)0, ");
        mark(s, "sonde-site", s->n_sites);
    }
    if (compares) {
        mark(s, "sonde-watch", s->n_sites);
        text_put(&s->out, "__extension__({ ");
        if (names && site->has_effects[0]) put_operand(s, "sonde_l_", site->a, site->at);
        if (names && site->has_effects[1]) put_operand(s, "sonde_r_", site->at + 1, site->b);
        text_put(&s->out, "__auto_type sonde_m_ = ");
    }
    put_choice(s, site, watch != WATCH_NONE, names);
    if (compares) {
        mark(s, "sonde-watch", s->n_sites);
        text_put(&s->out, "; if (sonde_mutant_now_.watch) { __auto_type sonde_p_ = ");
        put_alternative(s, site, NULL, names);
        text_put(&s->out, "; sonde_mutant_same_(sonde_m_ == sonde_p_); } sonde_m_; })");
        mark(s, "sonde-site", s->n_sites);
    }
    text_put(&s->out, site->is_truth ? ") : !!(" : ") : (");
    mark_token(s, site->a);
    return true;
}

void schema_close(struct schema *s, const struct site *site)
{
    schema_copy_before(s, site->b);
    text_put(&s->out, "))");
}

bool schema_open_statement(struct schema *s, const struct site *site)
{
    if (!begin(s, site)) return false;
    bool may_watch = !is_set(s->rejected->watches, s->rejected->cap_watches, s->n_sites);
    enum watch watch = may_watch ? site->watch : WATCH_NONE;
    schema_copy_to(s, site->a);
    s->n_mutants++;
    mark(s, "sonde-mutant", s->n_mutants);
    text_put(&s->out,
             "{ sonde_mutant_hit_[%u] = 1; if (__builtin_expect(sonde_mutant_now_.site == %uu, 0)) { "
             "if (sonde_mutant_now_.mutant == %uu) { ",
             (unsigned)s->n_live_sites, (unsigned)s->n_live_sites, (unsigned)++s->n_live);
    mark(s, "sonde-watch", s->n_sites);
    if (watch == WATCH_ASSIGNED) {
        text_put(&s->out, "if (sonde_mutant_now_.watch) sonde_mutant_same_(");
        put_part(s, NULL, site->a, site->at, NULL);
        text_put(&s->out, " == ");
        put_assigned(s, site, NULL);
        text_put(&s->out, ");");
    } else if (watch == WATCH_DIFFERS) text_put(&s->out, "sonde_mutant_same_(0);");
    mark(s, "sonde-mutant", s->n_mutants);
    text_put(&s->out, " } else { ");
    put_range(s, site->a, site->b, NULL);
    text_put(&s->out, " } } else ");
    mark_token(s, site->a);
    put_row(s, site->edits, watch != WATCH_NONE);
    return true;
}

void schema_close_statement(struct schema *s, const struct site *site)
{
    schema_copy_before(s, site->b);
    text_put(&s->out, " }");
}

/* ---- Head and end. The variables are in a separate section, so that `.reset = SONDE_GLOBALS` leaves them alone. */

#define SECTION "__attribute__((section(\".sonde_mutants\")))"

void schema_put_head(const struct schema *s, struct text *to)
{
    text_put(to,
             "static struct sonde_mutants_now_ sonde_mutant_now_ " SECTION "; "
             "static volatile unsigned char sonde_mutant_hit_[%u] " SECTION "; "
             "static __attribute__((noinline, cold, unused)) void sonde_mutant_same_(int same) { "
             "unsigned counts = sonde_mutant_now_.watch && sonde_mutant_now_.mutant; "
             "sonde_mutant_now_.compared += counts; sonde_mutant_now_.differed += counts && !same; } ",
             (unsigned)s->n_live_sites + 1);
}

void schema_put_table(const struct schema *s, struct text *to, const char *source, uint64_t hash)
{
    text_put(to, "\n# 1 \"sonde-mutants\"\nstatic const struct sonde_mutant_ sonde_table_[] = {\n");
    text_put_n(to, s->table.all, s->table.n);
    text_put(to, "};\nstatic struct sonde_mutants_ sonde_here_ " SECTION " = {%d, %u, %u, \"", SONDE_MUTANTS_VERSION_,
             (unsigned)s->n_live, (unsigned)s->n_live_sites);
    put_escaped(to, source, strlen(source));
    text_put(
        to,
        "\", 0x%" PRIx64 "ULL, sonde_table_, sonde_mutant_hit_, &sonde_mutant_now_, 0};\n"
        "static __attribute__((constructor)) void sonde_mutants_here_(void) { sonde_mutants_add_(&sonde_here_); }\n",
        hash);
}

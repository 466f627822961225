/* See judge.h. Numbers, enumerations, arrays of a fixed size and structs by value can be derived as they are. C does
 * not declare what a pointer points to, how many elements there are, or which member of a union is in use. Names do not
 * declare it either, so an annotation is required. The likeliest one is suggested but never assumed. */
#include "judge.h"

#include <string.h>

/* ---- Queries */

/* Searches from the inside outwards, as C resolves names. */
struct field *scope_find(const struct scope *scope, const char *name, const char **prefix)
{
    for (; scope; scope = scope->up) {
        struct field *field = find_field(scope->record, name);
        *prefix = scope->prefix;
        if (field) return field;
    }
    return NULL;
}

const struct notes *tag_notes(const struct notes *notes, const struct type *type)
{
    return notes->tag || !type->record->notes.tag ? notes : &type->record->notes;
}

static bool is_scalar(const struct type *type)
{
    return type->kind <= TYPE_ENUM || type->kind == TYPE_POINTER;
}

bool has_function(const struct record *record)
{
    return record->name && !record->is_union;
}

bool is_left_alone(const struct field *field)
{
    return field->notes.is && !is_scalar(field->type);
}

bool is_address(const struct field *field)
{
    return (field->notes.is || field->notes.by) && field->type->kind == TYPE_POINTER && !field->notes.text;
}

const struct field *flexible_field(const struct record *record)
{
    const struct field *last = record->n ? &record->fields[record->n - 1] : NULL;
    return last && !record->is_union && last->type->kind == TYPE_ARRAY && last->type->n <= 0 && !last->notes.is ? last
                                                                                                                : NULL;
}

/* Returns the type at the end of a chain of pointers and arrays. */
static const struct type *leaf_of(const struct type *type)
{
    while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) type = type->of;
    return type;
}

/* ---- Suggestions */

static bool contains(const char *text, const char *part)
{
    return *part && strstr(text, part) != NULL;
}

/* Reports whether an integer seems to count the elements of a pointer. Its name must have a word such as "len". It must
 * also be next to the pointer, or have the pointer's name in its own. */
static bool looks_like_count(const struct field *number, const struct field *pointer)
{
    static const char *const words[] = {"n_", "num", "len", "count", "size", "nr", "cnt"};
    const char *name = number->name;
    if (number->type->kind != TYPE_INT || number->type->is_char) return false;
    bool has_word = !strcmp(name, "n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) has_word |= contains(name, words[i]);
    return has_word && (contains(name, pointer->name) || number == pointer - 1 || number == pointer + 1);
}

/* Returns the likeliest annotation of a pointer: a count if a field looks like one, a string for char *, else
 * NULLABLE. */
static const char *likely_pointer(const struct record *record, const struct field *field, const struct type *pointee)
{
    const char *inner = pointee->kind != TYPE_POINTER ? ""
                        : leaf_of(pointee)->is_char   ? " SONDE_TEXT(0, 40)"
                                                      : " SONDE_NULLABLE";
    for (uint32_t i = 0; i < record->n; i++)
        if (looks_like_count(&record->fields[i], field))
            return keep_format("SONDE_COUNT(%s, 0, 20)%s", record->fields[i].name, inner);
    if (pointee->kind == TYPE_INT && pointee->is_char) return "SONDE_TEXT(0, 40)";
    return keep_format("SONDE_NULLABLE%s", strcmp(inner, " SONDE_NULLABLE") ? inner : "");
}

/* Returns the likeliest SONDE_TAG of a union: by an enumeration beside it that has at least as many constants as the
 * union has members. */
static const char *likely_tag(const struct record *around, const struct record *members)
{
    for (uint32_t i = 0; i < around->n; i++) {
        const struct field *f = &around->fields[i];
        if (f->type->kind != TYPE_ENUM || f->type->enumeration->n < members->n) continue;
        const char *text = keep_format("SONDE_TAG(%s", f->name);
        for (uint32_t k = 0; k < members->n; k++)
            text = keep_format("%s, %s: %s", text, f->type->enumeration->names[k], members->fields[k].name);
        return keep_format("%s)", text);
    }
    return members->n ? keep_format("SONDE_TAG(0, 0: %s)", members->fields[0].name) : "SONDE_IS(0)";
}

/* ---- Problems */

/* The field that is being judged. */
struct judging {
    struct judgement *j;
    const struct field *field;
    const struct scope *scope;
};

/* Returns the name of a field; for an anonymous member, the name of its first field. */
static const char *visible_name(const struct field *field)
{
    while (!*field->name && field->type->kind == TYPE_RECORD && field->type->record->n)
        field = &field->type->record->fields[0];
    return field->name;
}

/* Adds a problem. It is attributed to the innermost record with a name, where the annotation can be written. */
static void add_problem(const struct judging *at, enum verdict verdict, const char *why, const char *write)
{
    const struct scope *named = at->scope;
    const char *path = keep_format("%s%s", at->scope->prefix, visible_name(at->field));
    while (!has_function(named->record) && named->up) named = named->up;
    *PUSH(at->j->problems, at->j->n_problems, at->j->cap_problems) =
        (struct problem){verdict, named->record, path, at->field->place, why, write};
}

static void add_record(struct judgement *j, struct record *record);
static void judge_inner(const struct judging *at, struct record *record);
static void judge_value(const struct judging *at, const struct type *type, bool is_counted);

/* Adds the problem of a pointer to a function, to void, or to a type that is not defined. */
static void refuse_pointer(const struct judging *at, const struct type *to)
{
    const char *write = keep_format("SONDE_IS(NULL) or SONDE_BY(draw_%s)", at->field->name);
    const char *why = to->kind == TYPE_FUNCTION ? "is a pointer to a function"
                      : to->kind == TYPE_VOID   ? "is a void *, which does not say what it points to"
                      : to->name                ? keep_format("points to %s, which is not defined here", to->name)
                                                : "points to something that cannot be drawn";
    add_problem(at, VERDICT_REFUSED, why, write);
}

/* Judges a pointer. is_counted: the pointer is an element of a list, and the field's count belongs to that list. */
static void judge_pointer(const struct judging *at, const struct type *type, bool is_counted)
{
    const struct notes *n = &at->field->notes;
    const struct type *leaf = leaf_of(type);
    bool counted = n->count && !is_counted, is_text = n->text && type->of->kind == TYPE_INT && type->of->is_char;
    if (is_text || (counted && type->of->kind == TYPE_VOID)) return;
    if (leaf->kind == TYPE_FUNCTION || leaf->kind == TYPE_VOID || leaf->kind == TYPE_OPAQUE || leaf->kind == TYPE_OTHER)
        refuse_pointer(at, leaf);
    else if (leaf->kind == TYPE_RECORD && leaf->record->is_union)
        add_problem(at, VERDICT_REFUSED, "points to a union, and nothing there says which member is in use",
                    keep_format("SONDE_IS(NULL) or SONDE_BY(draw_%s), or put the union into a struct with its tag",
                                at->field->name));
    else if (!counted && (n->nullable || n->nonnull) && type->of->kind == TYPE_RECORD
             && flexible_field(type->of->record))
        add_record(at->j, type->of->record);
    else if (counted || n->nullable || n->nonnull) judge_value(at, type->of, true);
    else
        add_problem(at, VERDICT_ANNOTATE,
                    type->of->is_char ? "is a char *, which may point to a string, to bytes or to one character"
                                      : "is a pointer, which does not say whether to one value, to several or to none",
                    likely_pointer(at->scope->record, at->field, type->of));
}

static void judge_union(const struct judging *at, const struct type *type)
{
    const struct notes *n = tag_notes(&at->field->notes, type);
    if (!n->tag) {
        add_problem(at, VERDICT_ANNOTATE, "is a union, and nothing says which member is in use",
                    likely_tag(at->scope->record, type->record));
        return;
    }
    for (uint32_t i = 0; i < n->n_choices; i++) {
        const char *member = n->choices[i].member;
        if (*member && !find_field(type->record, member))
            complain(at->field->place, "SONDE_TAG: the union has no member '%s'", member);
    }
    judge_inner(at, type->record);
}

/* Judges a struct that is contained by value. */
static void judge_record(const struct judging *at, struct record *record)
{
    if (flexible_field(record))
        add_problem(at, VERDICT_REFUSED,
                    keep_format("contains %s by value, which ends with an array without a length", record_name(record)),
                    keep_format("SONDE_BY(draw_%s), or make it a pointer", at->field->name));
    else if (has_function(record)) add_record(at->j, record);
    else judge_inner(at, record);
}

static void judge_value(const struct judging *at, const struct type *type, bool is_counted)
{
    switch (type->kind) {
    case TYPE_POINTER: judge_pointer(at, type, is_counted); break;
    case TYPE_ARRAY:
        if (type->n <= 0 && (!at->field->notes.count || is_counted))
            add_problem(at, VERDICT_ANNOTATE, "is an array without a length",
                        likely_pointer(at->scope->record, at->field, type->of));
        else judge_value(at, type->of, true);
        break;
    case TYPE_RECORD:
        if (type->record->is_union) judge_union(at, type);
        else judge_record(at, type->record);
        break;
    case TYPE_OTHER:
    case TYPE_OPAQUE:
    case TYPE_FUNCTION:
    case TYPE_VOID:
        add_problem(at, VERDICT_REFUSED,
                    keep_format("is of type %s, which cannot be drawn", type->name ? type->name : "unknown"),
                    keep_format("SONDE_IS(0) or SONDE_BY(draw_%s)", at->field->name));
        break;
    default: break;
    }
}

/* ---- Annotations that do not fit */

static void report_misfit(const struct judging *at, const char *word, const char *is_for)
{
    const struct type *type = at->field->type;
    complain(at->field->place, "%s is for %s; field '%s' of %s is %s", word, is_for, at->field->name,
             record_name(at->scope->record), type->name ? type->name : "of another kind");
}

/* Reports a maximum that does not fit a fixed array. Only plain numbers are checked: macros and expressions are not
 * evaluated here. */
static void check_limits(const struct judging *at)
{
    const struct notes *n = &at->field->notes;
    const struct type *type = at->field->type;
    unsigned long long most;
    while (type->kind == TYPE_ARRAY && type->of->kind == TYPE_ARRAY) type = type->of;
    if (type->kind != TYPE_ARRAY || type->n <= 0) return;
    if (n->text && type->of->is_char && n->text_max && is_number(n->text_max, &most)
        && most >= (unsigned long long)type->n)
        complain(at->field->place,
                 "a string of %s characters and its NUL do not fit field '%s' of %s, which has %lld bytes", n->text_max,
                 at->field->name, record_name(at->scope->record), type->n);
    if (n->count && n->count_max && is_number(n->count_max, &most) && most > (unsigned long long)at->field->type->n)
        complain(at->field->place, "%s elements do not fit field '%s' of %s, which has %lld", n->count_max,
                 at->field->name, record_name(at->scope->record), at->field->type->n);
}

/* Returns the field that an annotation names as counter or tag. Reports an error if it does not exist or is not an
 * integer. Returns NULL for a constant. */
static struct field *named_field(const struct judging *at, const char *word, const char *name)
{
    const char *prefix;
    struct field *f = scope_find(at->scope, name, &prefix);
    if (!is_identifier(name)) return NULL;
    if (!f)
        complain(at->field->place, "%s(%s) on field '%s': %s has no field '%s'", word, name, at->field->name,
                 record_name(at->scope->record), name);
    else if (f->type->kind != TYPE_INT && f->type->kind != TYPE_ENUM && f->type->kind != TYPE_BOOL)
        complain(at->field->place, "%s(%s) on field '%s': '%s' is not an integer", word, name, at->field->name, name);
    return f;
}

/* Reports annotations that do not fit the field, and marks the fields that count or tag others. */
static void check_notes(const struct judging *at)
{
    const struct notes *n = &at->field->notes;
    const struct type *type = at->field->type, *leaf = leaf_of(type);
    bool is_number_ = leaf->kind <= TYPE_ENUM && !n->text, is_whole = is_number_ && leaf->kind != TYPE_FLOAT;
    bool has_pointer = type->kind == TYPE_POINTER || (type->kind == TYPE_ARRAY && type->of->kind == TYPE_POINTER);
    if ((n->lo || n->one_of) && !is_number_) report_misfit(at, n->lo ? "SONDE_RANGE" : "SONDE_ONE_OF", "numbers");
    if (n->flags && !is_whole) report_misfit(at, "SONDE_FLAGS", "integers and enumerations");
    if (n->text && (type == leaf || !leaf->is_char))
        report_misfit(at, "a string annotation", "char * and arrays of char");
    if (n->count && type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
        report_misfit(at, "SONDE_COUNT", "pointers and arrays");
    if ((n->nullable || n->nonnull) && !has_pointer)
        report_misfit(at, n->nullable ? "SONDE_NULLABLE" : "SONDE_NONNULL", "pointers");
    bool is_union = leaf->kind == TYPE_RECORD && leaf->record->is_union;
    if (n->tag && !is_union) report_misfit(at, "SONDE_TAG", "unions");
    check_limits(at);
    struct field *counter = n->count ? named_field(at, "SONDE_COUNT", n->count) : NULL;
    struct field *tag =
        is_union && tag_notes(n, leaf)->tag ? named_field(at, "SONDE_TAG", tag_notes(n, leaf)->tag) : NULL;
    if (counter) counter->is_counter = true;
    if (tag) tag->is_tag = true;
}

/* ---- Records */

static void judge_fields(struct judgement *j, const struct scope *scope)
{
    const struct record *record = scope->record;
    for (uint32_t i = 0; i < record->n; i++) {
        struct judging at = {j, &record->fields[i], scope};
        const struct notes *n = &record->fields[i].notes;
        check_notes(&at);
        if (n->is || (n->by && at.field->type->kind == TYPE_POINTER)) continue;
        judge_value(&at, record->fields[i].type, false);
    }
}

/* Judges a record whose code is written in line. */
static void judge_inner(const struct judging *at, struct record *record)
{
    bool has_name = *at->field->name;
    const char *prefix = has_name ? keep_format("%s%s.", at->scope->prefix, at->field->name) : at->scope->prefix;
    judge_fields(at->j, &(struct scope){record, prefix, at->scope});
}

/* Judges a record that gets separate functions, once. */
static void add_record(struct judgement *j, struct record *record)
{
    for (uint32_t i = 0; i < j->n_records; i++)
        if (j->records[i] == record) return;
    *PUSH(j->records, j->n_records, j->cap_records) = record;
    judge_fields(j, &(struct scope){record, "", NULL});
}

/* ---- Heights. The height of a record is the nesting depth of its smallest value: 1 for a plain struct. It tells which
 * choice ends a recursive value soonest, and whether any does. */

static unsigned height_of(const struct record *record);
static unsigned choices_height(const struct field *field, const struct type *type);

/* Returns the height of a field's smallest value: 0 if it can be NULL, empty or a number. */
static unsigned value_height(const struct field *field, const struct type *type, bool is_counted)
{
    const struct notes *n = &field->notes;
    unsigned long long least = 0;
    if (n->is || n->by) return 0;
    if (type->kind == TYPE_RECORD && type->record->is_union) return choices_height(field, type);
    if (type->kind == TYPE_RECORD) return type->record->name ? type->record->height : height_of(type->record);
    if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY) return 0;
    bool counted = n->count && !is_counted;
    if (counted && (!n->count_min || (is_number(n->count_min, &least) && least == 0)) && is_identifier(n->count))
        return 0;
    if (!counted && type->kind == TYPE_POINTER && n->nullable) return 0;
    if (type->kind == TYPE_POINTER && !counted && !n->nonnull) return 0;
    return value_height(field, type->of, true);
}

/* Returns the height of a union: the least of its choices. */
static unsigned choices_height(const struct field *field, const struct type *type)
{
    const struct notes *n = tag_notes(&field->notes, type);
    unsigned least = NO_END;
    for (uint32_t i = 0; i < n->n_choices; i++) {
        const struct field *member = find_field(type->record, n->choices[i].member);
        unsigned height = member ? member_height(member) : 0;
        if (height < least) least = height;
    }
    return n->n_choices ? least : 0;
}

/* Returns the height of a record from the present heights of the records in it. */
static unsigned height_of(const struct record *record)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < record->n; i++) {
        const struct field *f = &record->fields[i];
        unsigned height = value_height(f, f->type, false);
        if (height > most) most = height;
    }
    return most >= NO_END ? NO_END : most + 1;
}

unsigned member_height(const struct field *member)
{
    return value_height(member, member->type, false);
}

/* Computes all heights as a fixpoint. Each begins at NO_END, and a round can only lower heights, so there are at most
 * as many rounds as records. Reports records that have no finite value. */
static void compute_heights(struct judgement *j)
{
    bool changed = true;
    for (uint32_t i = 0; i < j->n_records; i++) j->records[i]->height = NO_END;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < j->n_records; i++) {
            unsigned height = height_of(j->records[i]);
            changed |= height < j->records[i]->height;
            j->records[i]->height = height;
        }
    }
    for (uint32_t i = 0; i < j->n_records; i++) {
        const struct record *r = j->records[i];
        if (r->height >= NO_END && !r->is_union)
            complain(r->place, "%s has no smallest value: each contains another one; make a pointer SONDE_NULLABLE",
                     r->name);
    }
}

/* ---- Recursion */

/* Maximum number of records that the search below visits. */
enum { MOST_SEEN = 4096 };

/* Reports whether a value of `from` can contain one of `to`. A depth-first search; `seen` ends cycles. */
static bool reaches(const struct record *from, const struct record *to, const struct record **seen, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++)
        if (seen[i] == from) return false;
    if (*n == MOST_SEEN) return false;
    seen[(*n)++] = from;
    for (uint32_t i = 0; i < from->n; i++) {
        const struct field *f = &from->fields[i];
        const struct type *leaf = leaf_of(f->type);
        if (leaf->kind != TYPE_RECORD || f->notes.is || is_address(f)) continue;
        if (leaf->record == to || reaches(leaf->record, to, seen, n)) return true;
    }
    return false;
}

static bool does_reach(const struct record *from, const struct record *to)
{
    static const struct record *seen[MOST_SEEN];
    uint32_t n = 0;
    return reaches(from, to, seen, &n);
}

/* Sets `recurs`. A record that contains a recursive one counts as recursive too: it must pass the budget on. */
static void find_recursion(struct judgement *j)
{
    for (uint32_t i = 0; i < j->n_records; i++) j->records[i]->recurs = does_reach(j->records[i], j->records[i]);
    for (uint32_t i = 0; i < j->n_records; i++)
        for (uint32_t k = 0; k < j->n_records && !j->records[i]->recurs; k++)
            j->records[i]->recurs = j->records[k]->recurs && does_reach(j->records[i], j->records[k]);
}

struct judgement judge(struct record *record)
{
    struct judgement j = {0};
    add_record(&j, record);
    if (record->is_union && !record->notes.tag && record->n)
        *PUSH(j.problems, j.n_problems, j.cap_problems) =
            (struct problem){VERDICT_ANNOTATE,
                             record,
                             record->fields[0].name,
                             record->place,
                             "is in a union, and nothing says which member is in use",
                             keep_format("SONDE_TAG(0, 0: %s)", record->fields[0].name)};
    if (!j.n_problems) compute_heights(&j);
    find_recursion(&j);
    return j;
}

const char *likely_count(const struct problem *p)
{
    const struct field *field = find_field(p->record, p->path);
    if (!field || field->type->kind != TYPE_POINTER || field->type->of->kind != TYPE_VOID) return NULL;
    for (uint32_t i = 0; i < p->record->n; i++)
        if (looks_like_count(&p->record->fields[i], field)) return p->record->fields[i].name;
    return NULL;
}

enum verdict judge_verdict(const struct judgement *j)
{
    enum verdict worst = VERDICT_DERIVED;
    for (uint32_t i = 0; i < j->n_problems; i++)
        if (j->problems[i].verdict > worst) worst = j->problems[i].verdict;
    return worst;
}

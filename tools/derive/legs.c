/* See legs.h. An int result may be a status or a length. It is a status if a parameter receives the length, or if the
 * output is an object. Otherwise it is the length of the output. */
#include "legs.h"

#include <string.h>

enum carrier carrier_of(const struct type *type)
{
    if (type->kind <= TYPE_ENUM) return CARRIES_NUMBER;
    if (type->kind == TYPE_RECORD) return CARRIES_RECORD;
    if (type->kind != TYPE_POINTER) return CARRIES_NOTHING;
    if (object_key(type) && (is_made(type) || type->of->kind == TYPE_OPAQUE)) return CARRIES_OBJECT;
    if (is_text_pointer(type)) return CARRIES_TEXT;
    if (is_byte_pointer(type)) return CARRIES_BYTES;
    return type->of->kind == TYPE_RECORD ? CARRIES_RECORD : CARRIES_NOTHING;
}

const struct type *type_at(const struct leg *leg, int at)
{
    const struct prototype *p = leg->call.roles.p;
    return at == RESULT ? p->result : p->types[at];
}

bool carriers_fit(enum carrier given, enum carrier taken)
{
    bool are_bytes =
        (given == CARRIES_BYTES || given == CARRIES_TEXT) && (taken == CARRIES_BYTES || taken == CARRIES_TEXT);
    return given != CARRIES_NOTHING && (given == taken || are_bytes);
}

/* Returns the first parameter with one of these roles; NOT_THERE if there is none. */
static int find_role(const struct roles *r, enum role_kind kind)
{
    for (uint32_t i = 0; i < r->p->n; i++)
        if (r->kind[i] == kind) return (int)i;
    return NOT_THERE;
}

/* Returns an object that the function changes: mp_read_radix(mp_int *a, const char *s, int radix). */
static int find_changed_object(const struct roles *r)
{
    for (uint32_t i = 0; i < r->p->n; i++)
        if (r->kind[i] == ROLE_OBJECT && !r->p->types[i]->of->is_qualified) return (int)i;
    return NOT_THERE;
}

static void find_input(struct leg *leg)
{
    static const struct {
        enum role_kind kind;
        enum carrier carrier;
    } order[] = {{ROLE_IN, CARRIES_BYTES},
                 {ROLE_TEXT, CARRIES_TEXT},
                 {ROLE_RECORD, CARRIES_RECORD},
                 {ROLE_OBJECT, CARRIES_OBJECT},
                 {ROLE_NUMBER, CARRIES_NUMBER}};
    const struct roles *r = &leg->call.roles;
    leg->in_at = NOT_THERE;
    for (size_t i = 0; i < sizeof order / sizeof *order && leg->in_at == NOT_THERE; i++) {
        leg->in_at = find_role(r, order[i].kind);
        leg->in = leg->in_at == NOT_THERE ? CARRIES_NOTHING : order[i].carrier;
        if (leg->in_at != NOT_THERE && order[i].kind == ROLE_RECORD && r->p->result->kind <= TYPE_ENUM && r->p->n > 1
            && leg->in_at > 0 && find_role(r, ROLE_IN) != NOT_THERE)
            leg->in_at = NOT_THERE;
    }
}

static void find_output(struct leg *leg)
{
    static const struct {
        enum role_kind kind;
        enum carrier carrier;
    } order[] = {{ROLE_OUT, CARRIES_BYTES},
                 {ROLE_TEXT_OUT, CARRIES_TEXT},
                 {ROLE_OBJECT_OUT, CARRIES_OBJECT},
                 {ROLE_RECORD_OUT, CARRIES_RECORD}};
    const struct roles *r = &leg->call.roles;
    enum carrier result = carrier_of(r->p->result);
    leg->out_at = NOT_THERE;
    bool returns_value =
        result == CARRIES_OBJECT
        || ((result == CARRIES_TEXT || result == CARRIES_BYTES) && find_role(r, ROLE_OUT) == NOT_THERE);
    for (size_t i = 0; i < sizeof order / sizeof *order && leg->out_at == NOT_THERE && !returns_value; i++) {
        leg->out_at = find_role(r, order[i].kind);
        leg->out = order[i].carrier;
        bool has_length = leg->out_at != NOT_THERE && leg->out_at + 1 == r->length_out;
        if (order[i].kind == ROLE_TEXT_OUT && has_length) leg->out = CARRIES_BYTES;
    }
    int changed = find_changed_object(r);
    bool reads = leg->in == CARRIES_TEXT || leg->in == CARRIES_BYTES;
    if (leg->out_at == NOT_THERE && !returns_value && reads && changed != NOT_THERE)
        leg->out_at = changed, leg->out = CARRIES_OBJECT;
    for (uint32_t i = 0; i < r->p->n && leg->out_at == NOT_THERE && !returns_value; i++)
        if (r->kind[i] == ROLE_RECORD && r->p->types[i]->kind == TYPE_POINTER && !r->p->types[i]->of->is_qualified
            && (int)i != leg->in_at && is_data(r->p->types[i]->of->record))
            leg->out_at = (int)i, leg->out = CARRIES_RECORD;
    int number = find_role(r, ROLE_NUMBER_OUT);
    if (leg->out_at == NOT_THERE && !returns_value && number != NOT_THERE)
        leg->out_at = number, leg->out = CARRIES_NUMBER;
    if (leg->out_at == NOT_THERE) leg->out_at = RESULT, leg->out = result;
}

bool begin_leg(struct leg *leg, const struct prototype *p)
{
    memset(leg, 0, sizeof *leg);
    if (!begin_call(&leg->call, p)) return false;
    find_input(leg);
    find_output(leg);
    /* In encode(struct x *p, uint8_t *out) p is read though it is not const; in decode(bytes, struct x *out) not. */
    if (leg->out == CARRIES_RECORD && leg->out_at >= 0 && leg->in == CARRIES_RECORD && leg->in_at == leg->out_at)
        leg->in_at = NOT_THERE;
    return true;
}

/* ---- Writing */

enum meaning { MEANS_NOTHING, MEANS_LENGTH, MEANS_COUNT, MEANS_STATUS };

static enum meaning meaning_of(const struct leg *leg)
{
    static const char *const statuses[] = {"err", "error", "status", "code", "result", "ret", "rc", NULL};
    const struct roles *r = &leg->call.roles;
    const struct type *result = r->p->result;
    if (leg->out_at == RESULT || result->kind == TYPE_VOID || !result->name) return MEANS_NOTHING;
    if (result->kind == TYPE_BOOL || result->kind == TYPE_ENUM || has_word(result->name, statuses)) return MEANS_STATUS;
    if (result->kind != TYPE_INT) return MEANS_NOTHING;
    bool is_buffer = r->kind[leg->out_at] == ROLE_OUT;
    int size = is_buffer ? r->size[leg->out_at] : NOT_THERE;
    bool is_known = type_at(leg, leg->out_at)->n > 0 || r->length_out != NOT_THERE
                    || (size != NOT_THERE && r->p->types[size]->kind == TYPE_POINTER);
    if (is_buffer && is_known && !strcmp(result->name, "ssize_t")) return MEANS_COUNT; /* of the bytes that it read */
    if (!is_buffer || is_known) return MEANS_STATUS;
    return MEANS_LENGTH;
}

void connect_leg(struct test *test, struct leg *leg, const char *value, const char *length)
{
    struct roles *r = &leg->call.roles;
    const struct type *type = type_at(leg, leg->in_at);
    int size = r->kind[leg->in_at] == ROLE_IN ? r->size[leg->in_at] : NOT_THERE;
    const char *cast = is_byte_pointer(type) && type->of->kind != TYPE_VOID
                           ? keep_format("(%s%s *)", type->of->is_qualified ? "const " : "", type->of->name)
                           : "";
    leg->call.arguments[leg->in_at] = keep_format("%s%s", cast, value);
    leg->call.length[leg->in_at] = length ? length : keep_format("strlen((const char *)%s)", value);
    if (size == NOT_THERE) return;
    const struct type *number = r->p->types[size];
    if (number->kind != TYPE_POINTER) {
        leg->call.arguments[size] =
            keep_format("(%s)%s", number->name,
                        length && strpbrk(length, " *+") ? keep_format("(%s)", length) : leg->call.length[leg->in_at]);
        return;
    }
    const char *name = local(test, parameter(r->p, (uint32_t)size));
    line(&test->e, "%s %s = (%s)(%s);", number->of->name, name, number->of->name, leg->call.length[leg->in_at]);
    leg->call.arguments[size] = keep_format("&%s", name);
}

/* Declares the variable that receives the output, unless it is the result. Returns false after a message. */
static bool declare_output(struct test *test, struct leg *leg, const char *name, const char *room)
{
    struct roles *r = &leg->call.roles;
    const struct prototype *p = r->p;
    if (leg->out_at == RESULT) return true;
    const struct type *type = p->types[leg->out_at];
    uint32_t at = (uint32_t)leg->out_at;
    leg->output = name;
    switch (r->kind[at]) {
    case ROLE_OUT: declare_buffer(test, &leg->call, at, name, room, true); break;
    case ROLE_OBJECT: return (leg->output = leg->call.arguments[at] = make_object(test, p, type, name)) != NULL;
    case ROLE_RECORD:
    case ROLE_RECORD_OUT:
        line(&test->e, "%s *%s = sonde_new(t, %s);", type->of->record->name, name, type->of->record->name);
        use_record(test, type->of->record);
        leg->call.arguments[at] = name;
        break;
    default:
        line(&test->e, "%s = %s;", declared(type->of, name), type->of->kind == TYPE_POINTER ? "NULL" : "0");
        leg->call.arguments[at] = keep_format("&%s", name);
    }
    return true;
}

/* Has the output freed when the case ends. */
static void free_output(struct test *test, const struct leg *leg)
{
    const struct type *type = type_at(leg, leg->out_at);
    if (leg->out_at >= 0 && leg->call.roles.kind[leg->out_at] == ROLE_TEXT_OUT) {
        if (!type->of->of->is_qualified)
            line(&test->e, "sonde_defer(t, %s, %s); /* a guess: the caller owns it */",
                 use_free(test, type->of, leg->call.roles.p->name), leg->output);
        return;
    }
    bool is_out = leg->out_at >= 0 && leg->call.roles.kind[leg->out_at] == ROLE_OBJECT_OUT;
    if (leg->out == CARRIES_OBJECT && (is_out || leg->out_at == RESULT)) {
        const char *undo =
            type->of->is_qualified ? NULL : use_closer(test, is_out ? type->of : type, leg->call.roles.p->name);
        if (undo) line(&test->e, "sonde_defer(t, %s, %s);", undo, leg->output);
        return;
    }
    if (leg->out_at == RESULT) free_result(test, leg->call.roles.p, leg->output);
}

/* Writes what the result must be, and finds the length of the output. */
static void write_outcome(struct test *test, struct leg *leg, const char *result, enum meaning means, bool must)
{
    const struct roles *r = &leg->call.roles;
    const char *word = must ? "check" : "assume", *condition;
    bool is_buffer = leg->out_at >= 0 && r->kind[leg->out_at] == ROLE_OUT;
    int size = is_buffer ? r->size[leg->out_at] : NOT_THERE;
    if (means == MEANS_STATUS && (condition = success_of(test, r->p->result, result)))
        line(&test->e, "sonde_%s(t, %s);%s", word, condition, r->p->result->kind == TYPE_INT ? GUESSED_SUCCESS : "");
    if (means == MEANS_COUNT)
        line(&test->e, "sonde_%s(t, %s >= 0); /* a guess: it returns a number of bytes, or an error */", word, result);
    if (means == MEANS_LENGTH) {
        const char *room = leg->call.length[leg->out_at];
        bool is_signed = r->p->result->is_signed;
        line(&test->e, "sonde_%s(t, %s%s(size_t)%s <= %s); /* a guess: it returns the length, or an error */", word,
             is_signed ? keep_format("%s >= 0 && ", result) : "", "", result, room);
        leg->length = result;
    }
    if (r->length_out != NOT_THERE) leg->length = leg->call.arguments[r->length_out] + 1; /* without its & */
    else if (size != NOT_THERE && r->p->types[size]->kind == TYPE_POINTER) leg->length = leg->call.arguments[size] + 1;
}

bool write_leg(struct test *test, struct leg *leg, const char *name, const char *room, bool must)
{
    const struct prototype *p = leg->call.roles.p;
    bool is_made_there = leg->out_at >= 0 && leg->call.roles.kind[leg->out_at] == ROLE_OBJECT;
    if (!is_made_there) name = local(test, name);
    if (!declare_output(test, leg, name, room)) return false;
    test->is_second = must;
    bool is_drawn = draw_rest(test, &leg->call);
    test->is_second = false;
    if (!is_drawn) return false;
    const char *call = call_of(&leg->call), *result = NULL;
    enum meaning means = meaning_of(leg);
    if (leg->out_at == RESULT) {
        line(&test->e, "%s = %s;", declared(p->result, name), call);
        leg->output = name;
        if (p->result->kind == TYPE_POINTER)
            line(&test->e, "sonde_%s(t, %s != NULL);", must ? "check" : "assume", name);
    } else if (means == MEANS_NOTHING) line(&test->e, "%s%s;", p->result->kind == TYPE_VOID ? "" : "(void)", call);
    else {
        result = local(test, keep_format(means == MEANS_LENGTH ? "used_%s" : "status_%s", leg->output));
        line(&test->e, "%s = %s;", declared(p->result, result), call);
    }
    write_outcome(test, leg, result, means, must);
    bool is_pointer =
        leg->out_at >= 0
        && (leg->call.roles.kind[leg->out_at] == ROLE_TEXT_OUT || leg->call.roles.kind[leg->out_at] == ROLE_OBJECT_OUT);
    if (is_pointer) line(&test->e, "sonde_%s(t, %s != NULL);", must ? "check" : "assume", leg->output);
    free_output(test, leg);
    return true;
}

/* Writes the roundtrip tests of `sonde new`. The types of the two functions decide which of four forms is written.
 *
 * Values, for encode and decode: one call gets a value, the other one its output. That output must equal the value.
 * Objects, for print and parse: what is printed, parsed and printed again must be the same. The objects themselves
 * cannot be compared. State, for set and get on one object: get must return what was set. Life, for open and close:
 * whatever was opened can be closed. */
#include "legs.h"
#include "life.h"
#include "new.h"

#include <string.h>

static bool refuse_pair(const struct prototype *a, const struct prototype *b)
{
    complain(b->place, "%s does not undo %s, by their types; write that test by hand (see docs/writing-properties.md)",
             b->name, a->name);
    return false;
}

/* Writes the check that bytes or a string are the same as before. */
static void check_bytes(struct test *test, const struct leg *got, const char *want, const char *length, bool is_text)
{
    bool is_string = got->out == CARRIES_TEXT || (!got->length && is_text);
    if (is_string && is_text) {
        const char *star = got->out == CARRIES_TEXT ? "" : "(const char *)";
        line(&test->e, "sonde_check_eq(t, %s%s, %s);", star, got->output, want);
        return;
    }
    if (got->length) line(&test->e, "sonde_check_eq(t, (size_t)%s, (size_t)(%s));", got->length, length);
    line(&test->e, "sonde_check_mem_eq(t, %s, %s, %s);", got->output, want, length);
}

/* ---- Values */

/* Writes the check that the value came back. */
static void check_value(struct test *test, const struct leg *there, const struct leg *back)
{
    const struct type *type = type_at(there, there->in_at);
    const char *in = there->call.arguments[there->in_at];
    struct record *record = type->kind == TYPE_RECORD                                     ? type->record
                            : type->kind == TYPE_POINTER && type->of->kind == TYPE_RECORD ? type->of->record
                                                                                          : NULL;
    bool is_value = back->out_at == RESULT && type_at(back, RESULT)->kind == TYPE_RECORD;
    if (there->in == CARRIES_RECORD && record)
        line(&test->e, "sonde_check_same(t, %s, %s%s, %s%s);", use_record(test, record), is_value ? "&" : "",
             back->output, type->kind == TYPE_RECORD ? "&" : "", in);
    else if (there->in == CARRIES_BYTES) check_bytes(test, back, in, there->call.length[there->in_at], false);
    else if (there->in == CARRIES_TEXT) check_bytes(test, back, in, keep_format("strlen(%s)", in), true);
    else line(&test->e, "sonde_check_eq(t, %s, %s);", back->output, in);
}

/* Passes the output of one call to the other, as a value or by its address. */
static void pass_on(struct test *test, const struct leg *from, struct leg *to)
{
    if (from->out != CARRIES_RECORD || to->in != CARRIES_RECORD) {
        bool is_text = from->out == CARRIES_TEXT || !from->length;
        connect_leg(test, to, from->output, is_text ? NULL : from->length);
        if (to->in == CARRIES_NUMBER) to->call.arguments[to->in_at] = from->output;
        return;
    }
    bool by_value = type_at(to, to->in_at)->kind == TYPE_RECORD,
         is_value = from->out_at == RESULT && type_at(from, RESULT)->kind == TYPE_RECORD;
    to->call.arguments[to->in_at] = keep_format("%s%s",
                                                by_value && !is_value   ? "*"
                                                : !by_value && is_value ? "&"
                                                                        : "",
                                                from->output);
}

/* Writes the call that converts what came back again, and the check that its output is the same as the first. */
static bool write_second_trip(struct test *test, const struct leg *there, const struct leg *back)
{
    struct leg again;
    const struct prototype *p = there->call.roles.p;
    if (there->out != CARRIES_TEXT && there->out != CARRIES_BYTES) {
        complain(p->place, "--twice needs a value that is converted to bytes or a string; %s has none", p->name);
        return false;
    }
    if (!begin_leg(&again, p)) return false;
    pass_on(test, back, &again);
    const char *length = there->length ? there->length : keep_format("strlen((const char *)%s)", there->output);
    if (!write_leg(test, &again, "again", keep_format("2 * (%s) + 100", length), true)) return false;
    check_bytes(test, &again, there->output, length, there->out == CARRIES_TEXT || !there->length);
    return test->was_twice = true;
}

static bool write_value(struct test *test, struct leg *there, struct leg *back)
{
    uint32_t in = (uint32_t)there->in_at;
    if (!draw_argument(test, &there->call, in)) return false;
    const char *size = there->in == CARRIES_BYTES  ? there->call.length[in]
                       : there->in == CARRIES_TEXT ? keep_format("strlen(%s)", there->call.arguments[in])
                                                   : NULL;
    if (!write_leg(test, there, "there", size ? keep_format("2 * %s + 100", size) : "4096", false)) return false;
    pass_on(test, there, back);
    if (!write_leg(test, back, "back", size ? keep_format("%s + 16", size) : "4096", true)) return false;
    if (test->is_twice) return write_second_trip(test, there, back);
    check_value(test, there, back);
    return true;
}

/* ---- Objects */

/* Writes one call of `parse`: an object from this string. Returns the object; NULL after a message. */
static const char *parse(struct test *test, struct leg *leg, const char *text, const char *length, const char *name,
                         bool must)
{
    struct leg again;
    if (!begin_leg(&again, leg->call.roles.p)) return NULL;
    connect_leg(test, &again, text, length);
    const struct prototype *p = leg->call.roles.p;
    const char *key = leg->out_at == RESULT ? object_key(p->result) : NULL;
    for (uint32_t i = 0; key && i < p->n; i++) /* an object to add it to, which would also free it */
        if (!again.call.arguments[i] && object_key(p->types[i]) && !strcmp(object_key(p->types[i]), key))
            again.call.arguments[i] = "NULL";
    return write_leg(test, &again, name, "4096", must) ? again.output : NULL;
}

/* Writes one call of `print`. */
static bool print(struct test *test, struct leg *leg, const char *object, const char *name)
{
    const struct prototype *p = leg->call.roles.p;
    if (!begin_leg(leg, p)) return false;
    leg->call.arguments[leg->in_at] = object;
    return write_leg(test, leg, name, "65536", false);
}

/* Reports whether to begin with a new object: another function creates objects, and names do not tell which strings the
 * library reads. */
static bool begins_new(const struct test *test, const struct leg *prints, const struct leg *parses)
{
    const struct prototype *p = parses->call.roles.p;
    bool is_inplace = parses->out_at >= 0 && parses->call.roles.kind[parses->out_at] == ROLE_OBJECT;
    struct maker maker = maker_in(test, type_at(prints, prints->in_at), prints->call.roles.p->name);
    if (is_inplace || maker.making == MAKES_NOTHING || maker.p == p) return false;
    return !is_known_text(test, keep_format("%s %s", p->name, parameter(p, (uint32_t)parses->in_at)));
}

/* Writes the test that prints a new object, parses and prints again. */
static bool write_new_object(struct test *test, struct leg *prints, struct leg *parses)
{
    struct leg again = *prints;
    const struct prototype *p = prints->call.roles.p;
    const char *first = make_object(test, p, p->types[prints->in_at], "first");
    if (!first || !print(test, prints, first, "printed")) return false;
    const char *used = prints->out == CARRIES_TEXT ? NULL : prints->length;
    if (used) line(&test->e, "sonde_assume(t, %s > 0); /* a guess: an object without content has no bytes */", used);
    const char *second = parse(test, parses, prints->output, used, "second", true);
    if (!second || !print(test, &again, second, "again")) return false;
    const char *n = used ? used : keep_format("strlen(%s)", prints->output);
    check_bytes(test, &again, prints->output, n, prints->out == CARRIES_TEXT || !prints->length);
    return true;
}

static bool write_object(struct test *test, struct leg *prints, struct leg *parses)
{
    uint32_t in = (uint32_t)parses->in_at;
    struct leg again = *prints;
    if (begins_new(test, prints, parses)) return write_new_object(test, prints, parses);
    if (!draw_argument(test, &parses->call, in)) return false;
    const char *text = parses->call.arguments[in],
               *length = parses->in == CARRIES_BYTES ? parses->call.length[in] : NULL;
    const char *first = parse(test, parses, text, length, "first", false);
    if (!first || !print(test, prints, first, "printed")) return false;
    const char *used = prints->out == CARRIES_TEXT ? NULL : prints->length;
    const char *second = parse(test, parses, prints->output, used, "second", true);
    if (!second || !print(test, &again, second, "again")) return false;
    const char *n = used ? used : keep_format("strlen(%s)", prints->output);
    check_bytes(test, &again, prints->output, n, prints->out == CARRIES_TEXT || !prints->length);
    return true;
}

/* ---- State */

/* Reports whether a value is a void *, which the caller gets back as it was. */
static bool is_any_pointer(enum role_kind kind, const struct type *value, const struct type *got)
{
    return kind == ROLE_NOTHING && value->of->kind == TYPE_VOID && value->name && got->kind == TYPE_POINTER && got->name
           && got->of->kind == TYPE_VOID;
}

/* Returns the parameter of `set` that `get` gives back: the last one of a type that `get` returns and does not take. */
static int value_of(const struct leg *set, const struct leg *get, int *out_at)
{
    const struct prototype *a = set->call.roles.p, *b = get->call.roles.p;
    for (uint32_t i = a->n; i-- > 1;) {
        enum role_kind k = set->call.roles.kind[i];
        const struct type *type = a->types[i];
        if (k == ROLE_SIZE || k == ROLE_UNKNOWN) continue;
        for (uint32_t m = 1; m < b->n; m++) {
            enum role_kind o = get->call.roles.kind[m];
            const struct type *of = b->types[m]->kind == TYPE_POINTER ? b->types[m]->of : NULL;
            *out_at = (int)m;
            if (k == ROLE_IN && o == ROLE_OUT) return (int)i;
            if (of && o == ROLE_UNKNOWN && !of->is_qualified && is_any_pointer(k, type, of)) return (int)i;
            if (k == ROLE_NOTHING) continue;
            if (of && o == ROLE_NUMBER_OUT && k == ROLE_NUMBER && !strcmp(of->key, type->key)) return (int)i;
            if (of && (o == ROLE_OBJECT_OUT || o == ROLE_TEXT_OUT) && type->kind == TYPE_POINTER && of->of->key
                && !strcmp(of->of->key, type->of->key))
                return (int)i;
            bool is_same = /* by its address: nothing comes back in a copy */
                of && k == ROLE_RECORD && (o == ROLE_RECORD || o == ROLE_RECORD_OUT)
                && !strcmp(a->names[i], b->names[m]);
            if (is_same && i + 2 >= a->n && !strcmp(type->key, b->types[m]->key) && (i == m || b->n == 2))
                return (int)i;
        }
        *out_at = RESULT;
        const struct type *result = b->result;
        if (is_any_pointer(k, type, result)) return (int)i;
        bool is_pointer =
            result->kind == TYPE_POINTER && type->kind == TYPE_POINTER && (k == ROLE_TEXT || k == ROLE_OBJECT);
        if (is_pointer && !strcmp(result->of->key, type->of->key)) return (int)i;
        bool is_value = (k == ROLE_NUMBER && result->kind <= TYPE_ENUM)
                        || (k == ROLE_RECORD && result->kind == TYPE_RECORD && type->kind == TYPE_RECORD);
        if (is_value && !strcmp(result->key, type->key)) return (int)i;
    }
    return NOT_THERE;
}

/* Reports whether an object keeps another one that is put into it. Where objects count their references, it does not
 * take over the caller's. */
static bool takes_over(const struct prototype *p, uint32_t value)
{
    static const char *const counting[] = {"unref", "decref", NULL};
    const char *key = object_key(p->types[0]), *other = object_key(p->types[value]);
    const struct prototype *closer = closer_of(p->types[0]);
    return key && other && !strcmp(key, other) && !p->types[value]->of->is_qualified && closer
           && !has_word(closer->name, counting);
}

/* Passes what `set` got before the value, such as a key, to `get` at the same position, whatever its name is there. */
static void pass_keys(const struct leg *set, struct leg *get, int value, int out_at)
{
    const struct prototype *a = set->call.roles.p, *b = get->call.roles.p;
    for (uint32_t i = 1; i < b->n && (int)i < value; i++) {
        enum role_kind kind = set->call.roles.kind[i];
        bool is_key = kind == ROLE_NUMBER || kind == ROLE_TEXT || kind == ROLE_OBJECT || kind == ROLE_RECORD;
        if (is_key && (int)i != out_at && kind == get->call.roles.kind[i] && a->types[i]->kind == b->types[i]->kind
            && a->types[i]->key && b->types[i]->key && !strcmp(a->types[i]->key, b->types[i]->key))
            get->call.arguments[i] = set->call.arguments[i];
    }
}

/* Writes the check that the struct that was stored came back. */
static void check_record(struct test *test, const struct type *type, const char *got, const char *want)
{
    bool is_value = type->kind == TYPE_RECORD;
    struct record *record = is_value ? type->record : type->of->record;
    const char *address = is_value ? "&" : "";
    line(&test->e, "sonde_check_same(t, %s, %s%s, %s%s);", use_record(test, record), address, got, address, want);
}

static bool write_state(struct test *test, struct leg *set, struct leg *get)
{
    const struct prototype *a = set->call.roles.p;
    int out_at, value = value_of(set, get, &out_at);
    const char *object = make_object(test, a, a->types[0], parameter(a, 0));
    if (!object) return false;
    test->is_empty = true;
    set->call.arguments[0] = get->call.arguments[0] = object;
    *PUSH(test->drawn, test->n_drawn, test->cap_drawn) =
        (struct drawn){parameter(a, 0), a->types[0]->key, object, NULL};
    if (takes_over(a, (uint32_t)value)) {
        test->keeps_objects = true; /* the object frees what it holds */
        bool ok = draw_argument(test, &set->call, (uint32_t)value);
        test->keeps_objects = false;
        if (!ok) return false;
    }
    enum role_kind kind = set->call.roles.kind[value];
    if (kind == ROLE_NOTHING) {
        const char *any = set->call.arguments[value] = local(test, parameter(a, (uint32_t)value));
        line(&test->e, "%s = sonde_new(t, long);", declared(a->types[value], any));
    }
    if (!draw_rest(test, &set->call)) return false;
    const char *want = set->call.arguments[value], *n = set->call.length[value], *condition;
    const char *call = call_of(&set->call);
    condition = a->result->kind == TYPE_POINTER ? NULL : success_of(test, a->result, call);
    if (condition)
        line(&test->e, "sonde_assume(t, %s);%s", condition, a->result->kind == TYPE_INT ? GUESSED_SUCCESS : "");
    else line(&test->e, "%s%s;", a->result->kind == TYPE_VOID ? "" : "(void)", call);
    for (uint32_t i = test->n_drawn; i-- > 0;) /* the value is drawn for `set` only */
        if (test->drawn[i].expression == want) test->drawn[i].name = "";
    pass_keys(set, get, value, out_at);
    get->out_at = out_at;
    get->out = out_at == RESULT      ? carrier_of(get->call.roles.p->result)
               : kind == ROLE_IN     ? CARRIES_BYTES
               : kind == ROLE_RECORD ? CARRIES_RECORD
                                     : CARRIES_NUMBER;
    if (!write_leg(test, get, "got", n ? n : "4096", true)) return false;
    if (kind == ROLE_IN) check_bytes(test, get, want, n, false);
    else if (kind == ROLE_RECORD) check_record(test, a->types[value], get->output, want);
    else if (kind == ROLE_OBJECT || kind == ROLE_NOTHING)
        line(&test->e, "sonde_check(t, %s == %s);", get->output, want);
    else line(&test->e, "sonde_check_eq(t, %s, %s);", get->output, want);
    return true;
}

/* ---- All */

/* Reports whether both functions work on one object, which is their first parameter, and the first one changes it. */
static bool share_object(const struct leg *a, const struct leg *b)
{
    const struct prototype *p = a->call.roles.p, *q = b->call.roles.p;
    bool have = p->n > 1 && q->n && a->call.roles.kind[0] == ROLE_OBJECT && b->call.roles.kind[0] == ROLE_OBJECT;
    return have && !p->types[0]->of->is_qualified && !strcmp(object_key(p->types[0]), object_key(q->types[0]));
}

static bool is_bytes_or_text(enum carrier carrier)
{
    return carrier == CARRIES_BYTES || carrier == CARRIES_TEXT;
}

/* Reports whether the first function prints an object and the second one reads it. */
static bool print_and_parse(const struct leg *a, const struct leg *b)
{
    const struct type *in = a->in == CARRIES_OBJECT ? type_at(a, a->in_at) : NULL;
    const struct type *out = b->out == CARRIES_OBJECT ? type_at(b, b->out_at) : NULL;
    if (!in || !out || !is_bytes_or_text(a->out) || !is_bytes_or_text(b->in)) return false;
    if (b->out_at >= 0 && b->call.roles.kind[b->out_at] == ROLE_OBJECT_OUT) out = out->of;
    return object_key(in) && object_key(out) && !strcmp(object_key(in), object_key(out));
}

/* Reports whether the output is bytes of unknown number, as in mp_to_unsigned_bin(a, b). */
static bool is_endless(const struct leg *leg)
{
    const struct roles *r = &leg->call.roles;
    if (leg->out != CARRIES_BYTES || leg->out_at < 0 || is_text_pointer(type_at(leg, leg->out_at))) return false;
    bool is_fixed = type_at(leg, leg->out_at)->n > 0 || r->p->types[leg->out_at]->of->kind == TYPE_VOID;
    return !is_fixed && r->length_out == NOT_THERE && r->size[leg->out_at] == NOT_THERE
           && (r->p->result->kind != TYPE_INT || strstr(r->p->result->name, "err"));
}

static bool write_pair(struct test *test, struct leg *a, struct leg *b)
{
    int out_at;
    if (is_endless(a) && b->in == CARRIES_BYTES) return refuse_pair(a->call.roles.p, b->call.roles.p);
    if (print_and_parse(a, b)) return write_object(test, a, b);
    if (print_and_parse(b, a)) return write_object(test, b, a);
    if (is_life(a->call.roles.p, b->call.roles.p)) return write_life(test, &a->call, &b->call);
    if (share_object(a, b) && value_of(a, b, &out_at) != NOT_THERE) return write_state(test, a, b);
    bool is_unsized = a->in == CARRIES_BYTES && a->call.roles.size[a->in_at] == NOT_THERE && b->in == CARRIES_TEXT;
    if (is_unsized && carriers_fit(b->out, a->in) && carriers_fit(a->out, b->in))
        return write_value(test, b, a); /* ntop, pton */
    bool is_path = a->in_at >= 0 && b->in_at >= 0 && a->in != CARRIES_OBJECT && carriers_fit(a->out, b->in)
                   && carriers_fit(b->out, a->in);
    if (!is_path) return refuse_pair(a->call.roles.p, b->call.roles.p);
    return write_value(test, a, b);
}

bool new_roundtrip(struct test *test, const char *const *names, uint32_t n)
{
    struct leg there, back;
    if (n != 2) complain((struct place){NULL, 0}, "roundtrip needs two functions, there and back; name both");
    const struct prototype *a = n == 2 ? find_prototype(names[0], test->header) : NULL;
    const struct prototype *b = a ? find_prototype(names[1], test->header) : NULL;
    if (!a || !b || !begin_leg(&there, a) || !begin_leg(&back, b)) return false;
    begin_property(test, keep_format("%s_and_back_by_%s", a->name, b->name), "");
    return write_pair(test, &there, &back) && end_property(test);
}

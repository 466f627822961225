/* See seeds.h. A program is valid if it has a type. */
#include "seeds/seeds.h"

#include <string.h>

enum type { WRONG, INT, BOOL };

static enum type type_of(const struct seeds_expression *e, const enum type scope[3])
{
    enum type a, b, inner[3];
    switch (e->kind) {
    case SEEDS_INT: return INT;
    case SEEDS_BOOL: return BOOL;
    case SEEDS_NAME: return scope[e->value];
    case SEEDS_ADD:
    case SEEDS_LESS:
        a = type_of(e->parts[0], scope);
        b = type_of(e->parts[1], scope);
        if (a != INT || b != INT) return WRONG;
        return e->kind == SEEDS_ADD ? INT : BOOL;
    case SEEDS_IF:
        if (type_of(e->parts[0], scope) != BOOL) return WRONG;
        a = type_of(e->parts[1], scope);
        b = type_of(e->parts[2], scope);
        return a == b ? a : WRONG;
    case SEEDS_LET:
        memcpy(inner, scope, sizeof inner);
        inner[e->value] = type_of(e->parts[0], scope);
        if (inner[e->value] == WRONG) return WRONG;
        return type_of(e->parts[1], inner);
    }
    return WRONG;
}

bool seeds_program_is_valid(const struct seeds_expression *e)
{
    static const enum type nothing[3] = {WRONG, WRONG, WRONG};
    return type_of(e, nothing) != WRONG;
}

/* ---- Code */

enum op { PUSH, LOAD, STORE, RESTORE, ADD, LESS, JUMP_IF_NOT, JUMP, NOTHING };
enum { CODE_MAX = 1024, STACK_MAX = 256 };

struct code {
    struct {
        enum op op;
        int arg;
    } at[CODE_MAX];
    int n;
};

static int emit(struct code *c, enum op op, int arg)
{
    if (c->n == CODE_MAX) return CODE_MAX - 1;
    c->at[c->n].op = op;
    c->at[c->n].arg = arg;
    return c->n++;
}

static bool is_constant(const struct seeds_expression *e, int *value)
{
    int a, b;
    switch (e->kind) {
    case SEEDS_INT:
    case SEEDS_BOOL: *value = e->value; return true;
    case SEEDS_ADD:
        if (!is_constant(e->parts[0], &a) || !is_constant(e->parts[1], &b)) return false;
        *value = a + b;
        return true;
    case SEEDS_LESS:
        if (!is_constant(e->parts[0], &a) || !is_constant(e->parts[1], &b)) return false;
        *value = a < b;
        return true;
    case SEEDS_IF:
        if (!is_constant(e->parts[0], &a)) return false;
        return is_constant(e->parts[a ? 1 : 2], value);
    default: return false;
    }
}

static bool uses(const struct seeds_expression *e, int name)
{
    if (e->kind == SEEDS_NAME) return e->value == name;
    if (e->kind == SEEDS_LET) return uses(e->parts[0], name) || (e->value != name && uses(e->parts[1], name));
    for (int i = 0; i < 3; i++)
        if (e->parts[i] && uses(e->parts[i], name)) return true;
    return false;
}

static void compile(struct code *c, const struct seeds_expression *e)
{
    int value, first, second;
    if (is_constant(e, &value)) {
        emit(c, PUSH, value);
        return;
    }
    switch (e->kind) {
    case SEEDS_NAME: emit(c, LOAD, e->value); break;
    case SEEDS_ADD:
    case SEEDS_LESS:
        compile(c, e->parts[0]);
        if (e->kind == SEEDS_ADD && is_constant(e->parts[1], &value) && value == 0) break;
        compile(c, e->parts[1]);
        emit(c, e->kind == SEEDS_ADD ? ADD : LESS, 0);
        break;
    case SEEDS_IF:
        if (is_constant(e->parts[0], &value)) {
            compile(c, e->parts[value ? 1 : 2]);
            break;
        }
        compile(c, e->parts[0]);
        first = emit(c, JUMP_IF_NOT, 0);
        compile(c, e->parts[1]);
        second = emit(c, JUMP, 0);
        c->at[first].arg = c->n;
        compile(c, e->parts[2]);
        c->at[second].arg = c->n;
        break;
    case SEEDS_LET:
        if (!uses(e->parts[1], e->value)) {
            compile(c, e->parts[1]);
            break;
        }
        compile(c, e->parts[0]);
        emit(c, STORE, e->value);
        compile(c, e->parts[1]);
        emit(c, RESTORE, e->value);
        break;
    default: break;
    }
}

/* Small things seen through a window of three. */
static int improve(struct code *c)
{
    int improved = 0;
    for (int i = 0; i + 2 < c->n; i++) {
        enum op a = c->at[i].op, b = c->at[i + 1].op, d = c->at[i + 2].op;
        if (a == LOAD && b == PUSH && d == ADD && c->at[i + 1].arg == 1) improved |= 1;
        if (a == LOAD && b == LOAD && d == ADD && c->at[i].arg == c->at[i + 1].arg) improved |= 2;
        if (a == LOAD && b == LOAD && d == LESS && c->at[i].arg == c->at[i + 1].arg) improved |= 4;
        if (a == STORE && b == LOAD && d == RESTORE && c->at[i].arg == c->at[i + 1].arg) improved |= 8;
        if (a == RESTORE && b == STORE && c->at[i].arg == c->at[i + 1].arg) improved |= 16;
        if (a == LESS && b == JUMP_IF_NOT && d == LOAD) improved |= 32;
        if (a == JUMP && b == JUMP) improved |= 64;
        if (a == RESTORE && b == RESTORE && d == RESTORE) improved |= 128;
    }
    return improved;
}

static int run(const struct code *c)
{
    int stack[STACK_MAX], saved[STACK_MAX], names[3] = {0}, n = 0, n_saved = 0;
    for (int i = 0; i < c->n && n + 1 < STACK_MAX; i++) {
        int arg = c->at[i].arg;
        switch (c->at[i].op) {
        case PUSH: stack[n++] = arg; break;
        case LOAD: stack[n++] = names[arg]; break;
        case STORE:
            saved[n_saved++] = names[arg];
            names[arg] = stack[--n];
            break;
        case RESTORE: names[arg] = saved[--n_saved]; break;
        case ADD: n--, stack[n - 1] += stack[n]; break;
        case LESS: n--, stack[n - 1] = stack[n - 1] < stack[n]; break;
        case JUMP_IF_NOT:
            if (!stack[--n]) i = arg - 1;
            break;
        case JUMP: i = arg - 1; break;
        case NOTHING: break;
        }
    }
    return n ? stack[n - 1] : 0;
}

int seeds_program_run(const struct seeds_expression *e)
{
    static struct code code;
    code.n = 0;
    compile(&code, e);
    int improved = improve(&code), value = run(&code);
    if (improved == 15) value += 100;
    if (code.n > 20) value++;
    if (code.n > 40) value++;
    return value;
}

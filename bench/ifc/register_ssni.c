/* Which states an observer can tell apart, which states can be reached at all, and the claim. See register.h. */
#include "ifc/register.h"

#include <string.h>

static bool lists_alike(unsigned o, const struct reg_atom *a, int n, const struct reg_atom *b, int m)
{
    if (n != m) return false;
    for (int i = 0; i < n; i++) {
        if (a[i].label != b[i].label) return false;
        if (reg_flows(a[i].label, o) && !reg_equal(&a[i], &b[i])) return false;
    }
    return true;
}

static bool frames_alike(unsigned o, const struct reg_frame *a, const struct reg_frame *b)
{
    if (a->label != b->label) return false;
    return !reg_flows(a->label, o) || lists_alike(o, a->atoms, a->n, b->atoms, b->n);
}

static bool memories_alike(unsigned o, const struct reg_state *a, const struct reg_state *b)
{
    for (unsigned stamp = 0; stamp < REG_LABELS; stamp++) {
        const struct reg_region *x = &a->memory[stamp], *y = &b->memory[stamp];
        if (!reg_flows(stamp, o)) continue;
        if (x->n != y->n) return false;
        for (int i = 0; i < x->n; i++)
            if (!frames_alike(o, &x->frames[i], &y->frames[i])) return false;
    }
    return true;
}

static bool calls_alike(unsigned o, const struct reg_call *a, const struct reg_call *b)
{
    if (!reg_flows(a->back_label, o) && !reg_flows(b->back_label, o)) return true;
    return a->back == b->back && a->back_label == b->back_label && a->result == b->result
           && a->result_label == b->result_label && lists_alike(o, a->saved, a->n_saved, b->saved, b->n_saved);
}

/* How many calls the observer sees: under a high pc, those from the first low return address down. */
static int visible_calls(unsigned o, const struct reg_state *s, bool all)
{
    int n = s->n_calls;
    while (!all && n > 0 && !reg_flows(s->calls[n - 1].back_label, o)) n--;
    return n;
}

static bool stacks_alike(unsigned o, const struct reg_state *a, const struct reg_state *b, bool all)
{
    int n = visible_calls(o, a, all);
    if (n != visible_calls(o, b, all)) return false;
    for (int i = 0; i < n; i++)
        if (!calls_alike(o, &a->calls[i], &b->calls[i])) return false;
    return true;
}

static bool instrs_equal(const struct reg_instr *a, const struct reg_instr *b)
{
    return a->op == b->op && a->binop == b->binop && a->label == b->label && a->n == b->n && a->r[0] == b->r[0]
           && a->r[1] == b->r[1] && a->r[2] == b->r[2];
}

static bool codes_equal(const struct reg_state *a, const struct reg_state *b)
{
    if (a->n_code != b->n_code) return false;
    for (int i = 0; i < a->n_code; i++)
        if (!instrs_equal(&a->code[i], &b->code[i])) return false;
    return true;
}

bool reg_alike(unsigned o, const struct reg_state *a, const struct reg_state *b)
{
    bool sees_pc = reg_flows(a->pc_label, o) || reg_flows(b->pc_label, o);
    if (!codes_equal(a, b) || !memories_alike(o, a, b)) return false;
    if (!sees_pc) return stacks_alike(o, a, b, false);
    return a->pc == b->pc && a->pc_label == b->pc_label && stacks_alike(o, a, b, true)
           && lists_alike(o, a->registers, a->n_registers, b->registers, b->n_registers);
}

/* ---- Well-formed */

/* The blocks that an observer can reach. */
struct reach {
    unsigned observer;
    const struct reg_state *state;
    bool seen[REG_LABELS][REG_FRAMES];
    struct {
        unsigned stamp;
        int block;
    } waiting[REG_LABELS * REG_FRAMES];
    int n_waiting;
};

/* False if a pointer leads where the observer must not come. Blocks that do not exist lead nowhere. */
static bool follow(struct reach *r, const struct reg_atom *atoms, int n)
{
    for (int i = 0; i < n; i++) {
        const struct reg_atom *p = &atoms[i];
        if (p->kind != REG_PTR || !reg_flows(p->label, r->observer)) continue;
        if (!reg_flows(p->inner, r->observer)) return false;
        if (p->block < 0 || p->block >= r->state->memory[p->inner].n || r->seen[p->inner][p->block]) continue;
        r->seen[p->inner][p->block] = true;
        r->waiting[r->n_waiting].stamp = p->inner;
        r->waiting[r->n_waiting++].block = p->block;
    }
    return true;
}

static bool well_formed_for(unsigned o, const struct reg_state *s)
{
    struct reach r = {.observer = o, .state = s};
    if (reg_flows(s->pc_label, o) && !follow(&r, s->registers, s->n_registers)) return false;
    for (int i = 0; i < s->n_calls; i++) {
        const struct reg_call *call = &s->calls[i];
        if (reg_flows(call->back_label, o) && !follow(&r, call->saved, call->n_saved)) return false;
    }
    while (r.n_waiting > 0) {
        r.n_waiting--;
        const struct reg_frame *frame = &s->memory[r.waiting[r.n_waiting].stamp].frames[r.waiting[r.n_waiting].block];
        if (reg_flows(frame->label, o) && !follow(&r, frame->atoms, frame->n)) return false;
    }
    return true;
}

bool reg_well_formed(const struct reg_state *s)
{
    for (unsigned o = 0; o < REG_LABELS; o++)
        if (!well_formed_for(o, s)) return false;
    return true;
}

/* ---- Single-step noninterference */

/* Copies what is in use: the arrays are mostly empty. */
static void copy_state(struct reg_state *to, const struct reg_state *from)
{
    memcpy(to->code, from->code, sizeof to->code);
    memcpy(to->calls, from->calls, (size_t)from->n_calls * sizeof *from->calls);
    memcpy(to->registers, from->registers, sizeof to->registers);
    to->n_code = from->n_code;
    to->n_calls = from->n_calls;
    to->n_registers = from->n_registers;
    to->pc = from->pc;
    to->pc_label = from->pc_label;
    for (unsigned stamp = 0; stamp < REG_LABELS; stamp++) {
        const struct reg_region *region = &from->memory[stamp];
        to->memory[stamp].n = region->n;
        memcpy(to->memory[stamp].frames, region->frames, (size_t)region->n * sizeof *region->frames);
    }
}

static bool both_fine(unsigned o, const struct reg_state *a, const struct reg_state *b)
{
    return reg_alike(o, a, b) && reg_well_formed(a) && reg_well_formed(b);
}

/* The second machine runs only where the first started low or ended low. */
static bool runs_both(unsigned o, const struct reg_state *a, const struct reg_state *a2)
{
    return reg_flows(a->pc_label, o) || reg_flows(a2->pc_label, o);
}

static bool claim_both(unsigned o, const struct reg_state *a, const struct reg_state *a2, const struct reg_state *b2)
{
    if (!reg_flows(a->pc_label, o) && !reg_flows(b2->pc_label, o)) return true;
    return both_fine(o, a2, b2);
}

static bool claim_one(unsigned o, const struct reg_state *a, const struct reg_state *a2)
{
    return reg_alike(o, a, a2) && reg_well_formed(a2);
}

enum reg_outcome reg_ssni(const struct reg_table *table, const struct reg_input *in)
{
    struct reg_state a2, b2;
    unsigned o = in->observer;
    if (!both_fine(o, &in->a, &in->b)) return REG_DISCARD;
    copy_state(&a2, &in->a);
    if (!reg_step(table, &a2)) return REG_DISCARD;
    if (!runs_both(o, &in->a, &a2)) return claim_one(o, &in->a, &a2) ? REG_PASS : REG_FAIL;
    copy_state(&b2, &in->b);
    if (!reg_step(table, &b2)) return REG_DISCARD;
    return claim_both(o, &in->a, &a2, &b2) ? REG_PASS : REG_FAIL;
}

void reg_check_ssni(sonde *t, const struct reg_table *table, const struct reg_input *in)
{
    struct reg_state a2, b2;
    unsigned o = in->observer;
    sonde_assume(t, reg_alike(o, &in->a, &in->b));
    sonde_assume(t, reg_well_formed(&in->a));
    sonde_assume(t, reg_well_formed(&in->b));
    copy_state(&a2, &in->a);
    sonde_assume(t, reg_step(table, &a2));
    if (!runs_both(o, &in->a, &a2)) {
        sonde_check(t, claim_one(o, &in->a, &a2));
        return;
    }
    copy_state(&b2, &in->b);
    sonde_assume(t, reg_step(table, &b2));
    sonde_check(t, claim_both(o, &in->a, &a2, &b2));
}

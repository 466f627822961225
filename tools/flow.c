/* See flow.h. One function is handled at a time: its instructions are read, split into basic blocks and connected by
 * edges. Then dominators and post-dominators are computed, and facts about which blocks ran are passed on to these.
 *
 * x86-64 only. Elsewhere nothing is read, and the caller uses the nearest counter. */
#include "flow.h"

#include "base/check.h"
#include "base/mem.h"
#include "pipe.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Flags of an instruction. INDIRECT: a jump whose target is not in the code. GOES_ON: the next instruction may
 * follow. */
enum { INDIRECT = 1, GOES_ON = 2, JUMPS = 4 };

/* An instruction: its address, and where it jumps to. */
struct step {
    uint64_t address, target;
    unsigned flags;
};

/* A basic block. `target` and `flags` come from its last instruction. */
struct block {
    struct sonde_ran ran;
    uint64_t target; /* address to which the block jumps; 0: none */
    unsigned flags;
    bool has_counter;
    bool has_before, is_case; /* has_before: it has a predecessor; is_case: only a switch can lead to it */
};

struct edge {
    uint32_t from, to;
};

/* The control flow of one function. */
struct graph {
    struct step *steps;
    uint32_t n_steps, cap_steps;
    struct block *blocks;
    uint32_t n_blocks, cap_blocks;
    struct edge *edges;
    uint32_t n_edges, cap_edges;
};

void sonde_ran_add(struct sonde_ran *to, const struct sonde_ran *from)
{
    bool is_better = from->input >= 0 && (to->input < 0 || (from->by & 1 && !(to->by & 1)));
    if (is_better) to->property = from->property, to->input = from->input;
    to->by |= from->by;
}

/* ---- Reading */

/* Reads a line of objdump, such as "  13ac7:\tjne    13ae0 <cJSON_Delete+0x60>". Returns false if it has no
 * instruction. */
static bool parse(const char *line, struct step *s)
{
    char word[32];
    int used = 0;
    *s = (struct step){.flags = GOES_ON};
    if (sscanf(line, " %" SCNx64 ":%n", &s->address, &used) != 1 || !used) return false;
    line += used;
    for (;;) { /* skip prefixes of the mnemonic */
        if (sscanf(line, " %31s%n", word, &used) != 1) return true;
        if (strcmp(word, "notrack") != 0 && strcmp(word, "bnd") != 0 && strcmp(word, "rep") != 0
            && strcmp(word, "repz") != 0)
            break;
        line += used;
    }
    line += used;
    if (!strncmp(word, "ret", 3) || !strcmp(word, "hlt") || !strcmp(word, "ud2")) s->flags = 0;
    if (word[0] != 'j') return true;
    bool is_plain = !strncmp(word, "jmp", 3);
    s->flags = JUMPS | (is_plain ? 0 : GOES_ON);
    while (*line == ' ') line++;
    if (*line == '*') s->flags |= INDIRECT;
    else s->target = strtoull(line, NULL, 16);
    return true;
}

/* ---- Blocks of one function */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Returns the addresses where blocks begin, sorted and unique; to be freed. These are the function's start, the targets
 * of jumps, the instructions after jumps and returns, and counters. */
static uint64_t *find_leaders(const struct graph *g, const struct sonde_ran *counters, uint32_t n, uint32_t *n_leaders)
{
    uint64_t *all = sonde_calloc(2 * (size_t)g->n_steps + n + 1, sizeof *all);
    uint64_t end = g->steps[g->n_steps - 1].address;
    uint32_t k = 0;
    all[k++] = g->steps[0].address;
    for (uint32_t i = 0; i < g->n_steps; i++) {
        const struct step *s = &g->steps[i];
        if (s->target >= g->steps[0].address && s->target <= end) all[k++] = s->target;
        if (s->flags != GOES_ON && i + 1 < g->n_steps) all[k++] = g->steps[i + 1].address;
    }
    for (uint32_t i = 0; i < n; i++) all[k++] = counters[i].address;
    qsort(all, k, sizeof *all, by_number);
    *n_leaders = 0;
    for (uint32_t i = 0; i < k; i++)
        if (!*n_leaders || all[*n_leaders - 1] != all[i]) all[(*n_leaders)++] = all[i];
    return all;
}

/* Splits the instructions into blocks; a block that begins with a counter gets its `ran`. */
static void make_blocks(struct graph *g, const struct sonde_ran *counters, uint32_t n)
{
    uint32_t n_leaders, step = 0, counter = 0;
    uint64_t *leaders = find_leaders(g, counters, n, &n_leaders);
    g->blocks = sonde_grow(g->blocks, &g->cap_blocks, n_leaders, sizeof *g->blocks);
    g->n_blocks = n_leaders;
    for (uint32_t i = 0; i < n_leaders; i++) {
        struct block *b = &g->blocks[i];
        *b = (struct block){.ran = {.address = leaders[i], .property = -1, .input = -1}, .flags = GOES_ON};
        if (counter < n && counters[counter].address == leaders[i]) {
            b->ran = counters[counter++];
            b->has_counter = true;
        }
        for (; step < g->n_steps && (i + 1 == n_leaders || g->steps[step].address < leaders[i + 1]); step++) {
            b->flags = g->steps[step].flags;
            b->target = g->steps[step].target;
        }
    }
    sonde_free(leaders);
}

/* Returns the node of the block that begins at an address; 0 if none does. */
static uint32_t block_at(const struct graph *g, uint64_t address)
{
    uint32_t low = 0, high = g->n_blocks;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->blocks[middle].ran.address < address) low = middle + 1;
        else high = middle;
    }
    return low < g->n_blocks && g->blocks[low].ran.address == address ? low + 1 : 0;
}

/* ---- Edges. The node of a block is its index + 1. Node 0 is the outside: it leads to the function's start, and every
 * block that leaves the function leads to it. So node 0 is the root for dominators and for post-dominators alike. */

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    g->edges = sonde_grow(g->edges, &g->cap_edges, (size_t)g->n_edges + 1, sizeof *g->edges);
    g->edges[g->n_edges++] = (struct edge){from, to};
    if (to) g->blocks[to - 1].has_before = true;
}

/* Connects each indirect jump, usually a switch, with all blocks that have no other predecessor. The jump's table is
 * not read, so a function with two switches gets too many edges; these only weaken the conclusions. */
static void connect_switches(struct graph *g)
{
    uint32_t n = g->n_blocks;
    for (uint32_t i = 0; i < n; i++) g->blocks[i].is_case = i > 0 && !g->blocks[i].has_before;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; g->blocks[i].flags & INDIRECT && k < n; k++)
            if (g->blocks[k].is_case) add_edge(g, i + 1, k + 1);
    }
}

/* Adds the edges of all blocks: to the target, to the next block, and out of the function. */
static void connect(struct graph *g)
{
    uint32_t n = g->n_blocks;
    g->n_edges = 0;
    add_edge(g, 0, 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct block b = g->blocks[i];
        uint32_t to = b.target ? block_at(g, b.target) : 0;
        bool goes_on = b.flags & GOES_ON && i + 1 < n;
        if (to || (b.target && !to)) add_edge(g, i + 1, to);
        if (goes_on) add_edge(g, i + 1, i + 2);
        if (!goes_on && !b.target && !(b.flags & INDIRECT)) add_edge(g, i + 1, 0);
    }
    connect_switches(g);
}

/* Asserts that blocks are sorted and unique, that edges connect existing nodes, and that only the first edge comes from
 * outside. */
static void graph_check(const struct graph *g)
{
    for (uint32_t i = 1; i < g->n_blocks; i++) sonde_assert(g->blocks[i - 1].ran.address < g->blocks[i].ran.address);
    for (uint32_t i = 0; i < g->n_edges; i++) {
        sonde_assert(g->edges[i].from <= g->n_blocks && g->edges[i].to <= g->n_blocks);
        sonde_assert(!g->edges[i].from == !i);
    }
}

/* ---- Dominators. Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. The graph is taken forward for
 * dominators and backward (is_back) for post-dominators. */

static const uint32_t NONE = UINT32_MAX;

/* A graph in one direction: its nodes in postorder, and their nearest dominators. */
struct dominance {
    uint32_t n;
    uint32_t *first, *next; /* edges of a node as a linked list: index + 1 into the edges */
    uint32_t *order;        /* nodes in postorder */
    uint32_t *number;       /* position of a node in `order`; NONE: it is not reached */
    uint32_t n_order;
    uint32_t *above; /* the nearest dominator of a node; NONE: not known */
};

/* Returns an edge in the direction of the walk. */
static struct edge directed(struct edge e, bool is_back)
{
    return is_back ? (struct edge){e.to, e.from} : e;
}

/* Numbers the nodes in postorder, from node 0. Uses an explicit stack, since a function may have very many blocks;
 * left[node] is the next edge to follow. */
static void walk(struct dominance *d, const struct graph *g, bool is_back)
{
    uint32_t *stack = sonde_calloc((size_t)d->n + 1, sizeof *stack),
             *left = sonde_calloc((size_t)d->n + 1, sizeof *left);
    uint8_t *seen = sonde_calloc((size_t)d->n + 1, 1);
    uint32_t depth = 1;
    stack[0] = 0;
    seen[0] = 1;
    memcpy(left, d->first, d->n * sizeof *left);
    while (depth) {
        uint32_t node = stack[depth - 1], at = left[node];
        if (!at) {
            d->number[node] = d->n_order;
            d->order[d->n_order++] = node;
            depth--;
            continue;
        }
        left[node] = d->next[at - 1];
        uint32_t to = directed(g->edges[at - 1], is_back).to;
        if (!seen[to]) seen[to] = 1, stack[depth++] = to;
    }
    sonde_free(stack);
    sonde_free(left);
    sonde_free(seen);
}

/* Returns the nearest common dominator of two nodes (`intersect` in the paper). */
static uint32_t meet(const struct dominance *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (d->number[a] < d->number[b]) a = d->above[a];
        while (d->number[b] < d->number[a]) b = d->above[b];
    }
    return a;
}

/* Computes the nearest dominators, in rounds until nothing changes. */
static void find_dominators(struct dominance *d, const struct graph *g, bool is_back)
{
    bool has_changed = true;
    d->above[0] = 0;
    while (has_changed) {
        has_changed = false;
        for (uint32_t i = 0; i < g->n_edges; i++) {
            struct edge e = directed(g->edges[i], is_back);
            if (!e.to || d->number[e.from] == NONE || d->number[e.to] == NONE || d->above[e.from] == NONE) continue;
            uint32_t now = d->above[e.to] == NONE ? e.from : meet(d, e.from, d->above[e.to]);
            has_changed |= now != d->above[e.to];
            d->above[e.to] = now;
        }
    }
}

/* Returns the nearest dominator of each node, or with is_back its nearest post-dominator; to be freed. */
static uint32_t *nearest(const struct graph *g, bool is_back)
{
    struct dominance d = {.n = g->n_blocks + 1};
    size_t n = (size_t)d.n + 1;
    d.first = sonde_calloc(n, sizeof *d.first);
    d.next = sonde_calloc((size_t)g->n_edges + 1, sizeof *d.next);
    d.order = sonde_calloc(n, sizeof *d.order);
    d.number = sonde_malloc(n * sizeof *d.number);
    d.above = sonde_malloc(n * sizeof *d.above);
    memset(d.number, 0xff, n * sizeof *d.number);
    memset(d.above, 0xff, n * sizeof *d.above);
    for (uint32_t i = 0; i < g->n_edges; i++) {
        uint32_t from = directed(g->edges[i], is_back).from;
        d.next[i] = d.first[from];
        d.first[from] = i + 1;
    }
    walk(&d, g, is_back);
    find_dominators(&d, g, is_back);
    sonde_free(d.first);
    sonde_free(d.next);
    sonde_free(d.order);
    sonde_free(d.number);
    return d.above;
}

/* Records what reached a node for its dominator as well, unless the dominator has a counter. Returns whether that was
 * new. */
static bool pass_on(struct graph *g, uint32_t node, const uint32_t *above)
{
    if (!node || above[node] == NONE || !above[node]) return false;
    struct block *to = &g->blocks[above[node] - 1];
    uint32_t before = to->ran.by;
    if (!to->has_counter) sonde_ran_add(&to->ran, &g->blocks[node - 1].ran);
    return before != to->ran.by;
}

/* Infers which blocks ran. A block with a counter keeps exactly what its counter recorded; its dominators learn from
 * it. A block without one learns from the blocks that it dominates or post-dominates. */
static void conclude_all(struct graph *g)
{
    uint32_t *before = nearest(g, false), *behind = nearest(g, true);
    bool has_changed = true;
    while (has_changed) { /* each round sets a bit of at least one block */
        has_changed = false;
        for (uint32_t k = 0; k < 2 * g->n_blocks; k++) {
            uint32_t node = 1 + (k < g->n_blocks ? k : 2 * g->n_blocks - 1 - k); /* forwards, then backwards */
            has_changed |= pass_on(g, node, before);
            has_changed |= pass_on(g, node, behind);
        }
    }
    sonde_free(before);
    sonde_free(behind);
}

/* ---- All functions */

/* Infers what ran in one function and appends its blocks to the result. */
static void end_function(struct sonde_flow *flow, struct graph *g, const struct sonde_ran *counters, uint32_t n)
{
    if (g->n_steps && n) {
        make_blocks(g, counters, n);
        connect(g);
        graph_check(g);
        conclude_all(g);
        flow->blocks = sonde_grow(flow->blocks, &flow->cap, (size_t)flow->n + g->n_blocks, sizeof *flow->blocks);
        for (uint32_t i = 0; i < g->n_blocks; i++) flow->blocks[flow->n++] = g->blocks[i].ran;
    }
    g->n_steps = 0;
}

/* State while objdump's output is read; instructions of one function follow each other. */
struct reading {
    struct sonde_flow *flow;
    const struct sonde_lines *lines;
    const struct sonde_ran *counters;
    uint32_t n, at; /* counters before `at` belong to functions that are done */
    struct graph graph;
    const struct sonde_function *function;
};

/* Ends the present function, with the counters inside of it. */
static void end_reading(struct reading *r)
{
    uint32_t first = r->at;
    if (!r->function) return;
    while (first < r->n && r->counters[first].address < r->function->start) first++;
    uint32_t end = first;
    while (end < r->n && r->counters[end].address < r->function->end) end++;
    end_function(r->flow, &r->graph, r->counters + first, end - first);
    r->at = end;
}

/* Adds an instruction to its function. Instructions outside of all known functions are skipped. */
static void read_step(struct reading *r, const struct step *s)
{
    if (!r->function || s->address >= r->function->end || s->address < r->function->start) {
        end_reading(r);
        r->function = sonde_lines_function(r->lines, s->address);
    }
    if (!r->function) return;
    r->graph.steps =
        sonde_grow(r->graph.steps, &r->graph.cap_steps, (size_t)r->graph.n_steps + 1, sizeof *r->graph.steps);
    r->graph.steps[r->graph.n_steps++] = *s;
}

bool sonde_flow_read(struct sonde_flow *flow, const char *path, const struct sonde_lines *lines,
                     const struct sonde_ran *counters, uint32_t n)
{
    struct tool_pipe pipe;
    char line[1024], from[64], to[64], name[] = "objdump", disassemble[] = "-d", bare[] = "--no-show-raw-insn";
    const struct sonde_function *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct sonde_function *f = sonde_lines_function(lines, counters[i].address);
        if (f && !first) first = f;
        if (f) last = f;
    }
    char *file = sonde_strdup(path), *argv[] = {name, disassemble, bare, from, to, file, NULL};
    struct reading r = {.flow = flow, .lines = lines, .counters = counters, .n = n};
    *flow = (struct sonde_flow){0};
#ifdef __x86_64__
    if (first && last) {
        snprintf(from, sizeof from, "--start-address=0x%" PRIx64, first->start);
        snprintf(to, sizeof to, "--stop-address=0x%" PRIx64, last->end);
        if (tool_pipe_open(&pipe, argv, -1)) {
            struct step s;
            while (fgets(line, sizeof line, pipe.out))
                if (parse(line, &s)) read_step(&r, &s);
            end_reading(&r);
            tool_pipe_close(&pipe);
        }
    }
#else
    (void)first, (void)last, (void)argv, (void)line, (void)from, (void)to, (void)pipe, (void)read_step;
#endif
    sonde_free(r.graph.steps);
    sonde_free(r.graph.blocks);
    sonde_free(r.graph.edges);
    sonde_free(file);
    return flow->n > 0;
}

void sonde_flow_clear(struct sonde_flow *flow)
{
    sonde_free(flow->blocks);
    *flow = (struct sonde_flow){0};
}

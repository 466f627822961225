/* See exchange.h. Positions count bytes since the outbox was created; the ring holds the last RING of them. The writer
 * publishes how far it will write (`reserved`) before it writes, and how far it has written (`head`) afterwards. So the
 * bytes between reserved - RING and head are whole. If a record is still within that range after a reader has copied
 * it, the copy is whole.
 *
 * It is a seqlock turned into a log: one writer, wait-free readers. Memory order: `reserved` is stored before the bytes
 * and separated from them by a full fence. The reader has a full fence between its copy and its second load of
 * `reserved`. So if the reader has seen any byte of a newer record, it also sees the newer `reserved`. `head` is stored
 * with release after the bytes. Strictly, C11 calls it a data race to copy bytes that may be written at the same
 * moment. Such a copy is discarded. A hash detects a record that a writer left half written when it died.
 *
 * The code under test can write to this memory, so no number in it is trusted. Positions are compared with each other,
 * sizes with what fits, and contents with the hash. Each call of sonde_inbox_take that meets a damaged record moves
 * past it. */
#include "engine/search/exchange.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "tape/tape.h"

#include <stdatomic.h>
#include <string.h>

/* Bytes of the ring, and of the largest record: one large tape must not overwrite most others. */
enum { RING = SONDE_LIMIT(1 << 22, 1 << 14), LARGEST = RING / 8 };
#define GAP UINT32_MAX /* marks a gap in the ring; stored in place of the number of choices */

struct sonde_outbox {
    _Atomic uint64_t reserved, head;
    _Atomic uint64_t tail; /* position of the oldest record that is still there */
    unsigned char ring[RING];
};

/* The header of each tape. A record does not wrap around: a gap fills the end of the ring. */
struct record {
    uint32_t size; /* bytes of the record, including this header; a multiple of the header's size */
    uint32_t n_choices, n_spans, n_bytes;
    uint64_t hash; /* hash of the rest of the record */
    uint64_t reserved;
};

_Static_assert(RING % sizeof(struct record) == 0, "a gap's record fits before the end of the ring");

struct sonde_outbox *sonde_outbox_create(void)
{
    struct sonde_outbox *box = sonde_malloc(sizeof *box); /* not cleared: pages that are never used cost nothing */
    atomic_init(&box->reserved, 0);
    atomic_init(&box->head, 0);
    atomic_init(&box->tail, 0);
    return box;
}

void sonde_outbox_free(struct sonde_outbox *box)
{
    sonde_free(box);
}

/* Records begin at multiples of their header's size, so that the header of a gap fits wherever one is needed. */
static size_t padded(size_t n)
{
    return (n + sizeof(struct record) - 1) / sizeof(struct record) * sizeof(struct record);
}

static size_t choice_bytes(uint32_t n)
{
    return n * sizeof(struct sonde_choice);
}

static size_t span_bytes(uint32_t n)
{
    return n * sizeof(struct sonde_tape_span);
}

/* Hashes all three arrays of the tape: if the writer died halfway, the hash differs. */
static uint64_t hash_of(const struct sonde_tape *tape)
{
    uint64_t hash = sonde_hash_bytes(1, tape->choices, choice_bytes(tape->n_choices));
    hash = sonde_hash_bytes(hash, tape->spans, span_bytes(tape->n_spans));
    return sonde_hash_bytes(hash, tape->bytes, tape->n_bytes);
}

/* Returns whether a record can begin at `at` in a log that ends at `head`. */
static bool is_position(uint64_t at, uint64_t head)
{
    return at <= head && head - at <= RING && at % sizeof(struct record) == 0;
}

/* ---- Writing */

/* Moves the tail past the records that will be overwritten. */
static void make_room(struct sonde_outbox *box, uint64_t head, uint64_t end)
{
    uint64_t tail = atomic_load_explicit(&box->tail, memory_order_relaxed);
    if (!is_position(tail, head)) tail = head;
    /* The tail moves record by record, since a reader that rewinds must start at the beginning of a record. An
     * impossible size was written by the code under test: then all records are given up. */
    while (end - tail > RING) {
        uint32_t size = ((const struct record *)(const void *)(box->ring + tail % RING))->size;
        bool is_one = size >= sizeof(struct record) && size % sizeof(struct record) == 0 && size <= head - tail;
        tail = is_one ? tail + size : head;
    }
    sonde_assert(tail <= head); /* only records that were written can be given up */
    atomic_store_explicit(&box->tail, tail, memory_order_relaxed);
}

/* Returns where a record of that size begins after `head`; moves `head` over a gap if one is needed. */
static unsigned char *reserve(struct sonde_outbox *box, uint64_t *head, size_t size)
{
    size_t at = (size_t)(*head % RING), gap = RING - at < size ? RING - at : 0;
    sonde_assert(size <= LARGEST && at % sizeof(struct record) == 0);
    make_room(box, *head, *head + gap + size);
    atomic_store_explicit(&box->reserved, *head + gap + size, memory_order_release); /* after `tail` */
    /* Readers must see the new `reserved` before they can see overwritten bytes. */
    atomic_thread_fence(memory_order_seq_cst);
    if (gap) {
        *(struct record *)(void *)(box->ring + at) = (struct record){.size = (uint32_t)gap, .n_choices = GAP};
        *head += gap;
        at = 0;
    }
    return box->ring + at;
}

bool sonde_outbox_put(struct sonde_outbox *box, const struct sonde_tape *tape)
{
    size_t choices = choice_bytes(tape->n_choices), spans = span_bytes(tape->n_spans);
    size_t size = padded(sizeof(struct record) + choices + spans + tape->n_bytes);
    if (size > LARGEST) return false;
    uint64_t head = atomic_load_explicit(&box->head, memory_order_relaxed);
    head -= head % sizeof(struct record); /* a damaged head must not lead beyond the end of the ring */
    unsigned char *to = reserve(box, &head, size);
    *(struct record *)(void *)to = (struct record){.size = (uint32_t)size,
                                                   .n_choices = tape->n_choices,
                                                   .n_spans = tape->n_spans,
                                                   .n_bytes = tape->n_bytes,
                                                   .hash = hash_of(tape)};
    to += sizeof(struct record);
    if (choices) memcpy(to, tape->choices, choices);
    if (spans) memcpy(to + choices, tape->spans, spans);
    if (tape->n_bytes) memcpy(to + choices + spans, tape->bytes, tape->n_bytes);
    atomic_store_explicit(&box->head, head + size, memory_order_release);
    return true;
}

/* ---- Reading */

void sonde_inbox_skip(struct sonde_inbox *in)
{
    in->at = atomic_load_explicit(&in->from->head, memory_order_acquire);
}

void sonde_inbox_rewind(struct sonde_inbox *in)
{
    uint64_t tail = atomic_load_explicit(&in->from->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&in->from->head, memory_order_acquire);
    in->at = is_position(tail, head) ? tail : head;
}

/* Returns whether the record at `at` has not been overwritten yet. */
static bool is_there(const struct sonde_inbox *in)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&in->from->reserved, memory_order_acquire) - in->at <= RING;
}

/* Sizes are checked before anything is copied: the record may be torn. */
static bool fits(const struct record *r, size_t at)
{
    if (r->size < sizeof *r || r->size % sizeof *r || r->size > RING - at) return false;
    if (r->n_choices == GAP) return r->size == RING - at;
    return r->size <= LARGEST && r->n_choices <= LARGEST && r->n_spans <= LARGEST && r->n_bytes <= LARGEST
           && padded(sizeof *r + choice_bytes(r->n_choices) + span_bytes(r->n_spans) + r->n_bytes) == r->size;
}

/* Copies one record; returns false if its hash is wrong. */
static bool copy(const struct record *r, const unsigned char *from, struct sonde_tape *tape)
{
    size_t choices = choice_bytes(r->n_choices), spans = span_bytes(r->n_spans);
    sonde_tape_reserve(tape, r->n_choices, r->n_spans, r->n_bytes);
    tape->n_choices = r->n_choices;
    tape->n_spans = r->n_spans;
    tape->n_bytes = r->n_bytes;
    if (choices) memcpy(tape->choices, from, choices);
    if (spans) memcpy(tape->spans, from + choices, spans);
    if (r->n_bytes) memcpy(tape->bytes, from + choices + spans, r->n_bytes);
    return hash_of(tape) == r->hash;
}

bool sonde_inbox_is_empty(const struct sonde_inbox *in)
{
    return in->at == atomic_load_explicit(&in->from->head, memory_order_acquire);
}

bool sonde_inbox_is_full(const struct sonde_inbox *in)
{
    enum { ROOM = 2 * LARGEST }; /* room for the largest tape, and for the gap before it */
    return atomic_load_explicit(&in->from->head, memory_order_acquire) - in->at > RING - ROOM;
}

/* Continues with the oldest record that is left. Never moves back: the same records would be read again. */
static void catch_up(struct sonde_inbox *in)
{
    uint64_t before = in->at;
    sonde_inbox_rewind(in);
    if (in->at <= before) sonde_inbox_skip(in);
}

/* Copies a record before checking it. If the writer has overwritten a record, all older records are lost as well. A
 * damaged record is skipped by its size; if the size is damaged too, all that follows is skipped. */
bool sonde_inbox_take(struct sonde_inbox *in, struct sonde_tape *tape)
{
    while (!sonde_inbox_is_empty(in)) {
        size_t at = (size_t)(in->at % RING);
        struct record r = {0};
        bool is_lost = !is_position(in->at, atomic_load_explicit(&in->from->head, memory_order_acquire));
        if (!is_lost) memcpy(&r, in->from->ring + at, sizeof r);
        bool has_size = !is_lost && fits(&r, at), is_gap = has_size && r.n_choices == GAP;
        bool is_whole = is_gap || (has_size && copy(&r, in->from->ring + at + sizeof r, tape));
        is_lost |= !is_there(in);
        /* counts events, not tapes: how many were overwritten is not known */
        in->missed += is_lost || !is_whole;
        if (is_lost) {
            catch_up(in);
            return false;
        }
        if (!has_size) {
            sonde_inbox_skip(in);
            return false;
        }
        in->at += r.size;
        if (!is_gap && is_whole) return true;
    }
    return false;
}

/* ---- Sharing: which tapes, and when
 *
 * The receiving search runs each tape as a case, and its guide learns from that case. So no other data of a sender has
 * to be trusted. */

uint32_t sonde_sharing_reasons(const struct sonde_guide *guide)
{
    const uint32_t kept = SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COMPARISON | SONDE_NEW_TARGET
                          | SONDE_NEW_STATE | SONDE_NEW_VALID;
    const uint32_t wanted = guide->ops->learn ? (guide->wants | guide->ops->wants) & kept : 0;
    return wanted ? wanted | SONDE_NEW_DEPTH : 0;
}

void sonde_sharing_init(struct sonde_sharing *s, bool is_on)
{
    *s = (struct sonde_sharing){0};
    if (!is_on) return;
    s->outbox = sonde_outbox_create();
    sonde_sharing_connect(s, &s, 1);
}

void sonde_sharing_clear(struct sonde_sharing *s)
{
    sonde_outbox_free(s->outbox);
    sonde_free(s->inboxes);
}

void sonde_sharing_connect(struct sonde_sharing *s, struct sonde_sharing *const *all, unsigned n)
{
    if (!s->outbox) return;
    sonde_free(s->inboxes);
    s->inboxes = sonde_calloc((size_t)n + 1, sizeof *s->inboxes); /* one more inbox, for sonde_sharing_listen */
    s->n_inboxes = 1;
    s->inboxes[0].from = s->outbox;
    sonde_inbox_skip(&s->inboxes[0]);
    for (unsigned i = 0; i < n; i++)
        if (all[i] != s && all[i]->outbox) s->inboxes[s->n_inboxes++].from = all[i]->outbox;
    s->look_in = 1;
}

void sonde_sharing_listen(struct sonde_sharing *s, const struct sonde_outbox *post)
{
    if (s->inboxes) s->inboxes[s->n_inboxes++] = (struct sonde_inbox){.from = post};
}

bool sonde_sharing_has_read(const struct sonde_sharing *s, const struct sonde_outbox *post)
{
    for (unsigned i = 0; i < s->n_inboxes; i++)
        if (s->inboxes[i].from == post) return sonde_inbox_is_empty(&s->inboxes[i]);
    return true;
}

/* While nearly all cases are discarded, each valid input is worth sending. If every case of a property is new, sending
 * must not take all of the search's time. */
void sonde_sharing_offer(struct sonde_sharing *s, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted)
{
    enum {
        RARE = 16,     /* every valid input is sent if fewer than one case in this many is valid */
        SHARE = 8,     /* at most one case in this many is sent */
        AT_FIRST = 256 /* added to the number of cases, so that more can be sent at first */
    };
    if (stats->valid * RARE > stats->tests) reasons &= ~(uint32_t)SONDE_NEW_VALID;
    if (!(reasons & wanted) || s->sent * SHARE > stats->tests + AT_FIRST) return;
    bool knows_its_own = sonde_inbox_is_empty(&s->inboxes[0]);
    sonde_tape_end(tape);
    sonde_outbox_put(s->outbox, tape);
    s->sent++;
    /* The search reads its own outbox only after a tear (rewind); otherwise its position there stays at the end. */
    if (knows_its_own) sonde_inbox_skip(&s->inboxes[0]);
}

bool sonde_sharing_receive(struct sonde_sharing *s, struct sonde_tape *tape)
{
    enum {
        /* number of cases before the next check if a tape was received: then one case in four is a received one */
        SOON = 4,
        LATER = 64 /* number of cases before the next check if no tape was there; a check costs an atomic load */
    };
    for (unsigned i = 0; i < s->n_inboxes; i++) {
        s->next_inbox = (s->next_inbox + 1) % s->n_inboxes;
        if (!sonde_inbox_take(&s->inboxes[s->next_inbox], tape)) continue;
        s->look_in = SOON;
        return true;
    }
    s->look_in = LATER;
    return false;
}

void sonde_sharing_rewind(struct sonde_sharing *s)
{
    for (unsigned i = 0; i < s->n_inboxes; i++) sonde_inbox_rewind(&s->inboxes[i]);
    if (s->n_inboxes) s->look_in = 1;
}

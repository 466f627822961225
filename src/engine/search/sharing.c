/* See sharing.h. Decides what crosses and when; exchange.c moves the bytes. Received tapes are run as
 * cases of the receiving search, whose guide learns from them; so nothing but tapes is ever trusted. */
#include "engine/search/sharing.h"

#include "base/mem.h"
#include "tape/tape.h"

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
    s->inboxes = sonde_calloc((size_t)n + 1, sizeof *s->inboxes); /* and one for sonde_sharing_listen */
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

/* While nearly everything is discarded, each valid input is worth sending. A property whose every run is news must not spend
 * its time on that. */
void sonde_sharing_offer(struct sonde_sharing *s, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted)
{
    /* RARE: below one valid case in 16, every valid input is sent. SHARE, AT_FIRST: at most one case in
     * eight is sent, after the first 256. */
    enum { RARE = 16, SHARE = 8, AT_FIRST = 256 };
    if (stats->valid * RARE > stats->tests) reasons &= ~(uint32_t)SONDE_NEW_VALID;
    if (!(reasons & wanted) || s->sent * SHARE > stats->tests + AT_FIRST) return;
    bool knows_its_own = sonde_inbox_is_empty(&s->inboxes[0]);
    sonde_tape_end(tape);
    sonde_outbox_put(s->outbox, tape);
    s->sent++;
    /* Its own outbox is read only after a tear (rewind); otherwise it stays at the end. */
    if (knows_its_own) sonde_inbox_skip(&s->inboxes[0]);
}

bool sonde_sharing_receive(struct sonde_sharing *s, struct sonde_tape *tape)
{
    /* While there is something, one case in four is a received one; else it looks every 64 cases, which
     * costs a load. */
    enum { SOON = 4, LATER = 64 };
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

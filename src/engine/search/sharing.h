/* What a search shares with those that run beside it, by exchange.h: when a tape is worth sending, and when to look for others'.
 * Its own outbox is one that it reads, too: after a tear it learns again from what it had sent. */
#ifndef SONDE_ENGINE_SHARING_H
#define SONDE_ENGINE_SHARING_H

#include "engine/search/exchange.h"

struct sonde_sharing {
    struct sonde_outbox *outbox; /* what was found worth keeping, for others and for itself; NULL: nothing is */
    struct sonde_inbox *inboxes; /* the first is its own outbox; then those of other jobs */
    unsigned n_inboxes, next_inbox;
    uint32_t look_in; /* cases before it looks whether there is something; looked at only where there are inboxes */
    uint64_t sent;
};

/* What makes a run worth sending to the other jobs: whatever the guide keeps tapes for, and getting further. */
uint32_t sonde_sharing_reasons(const struct sonde_guide *guide);
/* `is_on` is false for a single job: nothing is sent, and nothing costs anything. Alone it is connected
 * to itself. */
void sonde_sharing_init(struct sonde_sharing *sharing, bool is_on);
void sonde_sharing_clear(struct sonde_sharing *sharing);
/* From now on it reads what the others send; `all` may have itself among them. */
void sonde_sharing_connect(struct sonde_sharing *sharing, struct sonde_sharing *const *all, unsigned n);
/* And what comes to this outbox, from outside of the run. After sonde_sharing_connect. */
void sonde_sharing_listen(struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Whether it has read all that came there. */
bool sonde_sharing_has_read(const struct sonde_sharing *sharing, const struct sonde_outbox *post);
/* Sends the tape if it is worth it. */
void sonde_sharing_offer(struct sonde_sharing *sharing, struct sonde_tape *tape, const struct sonde_stats *stats,
                         uint32_t reasons, uint32_t wanted);
/* The next tape from one of the other jobs, each in its turn; false if there is none. Says when to look again. */
bool sonde_sharing_receive(struct sonde_sharing *sharing, struct sonde_tape *tape);
/* After a tear: all that is still there comes again. */
void sonde_sharing_rewind(struct sonde_sharing *sharing);

#endif

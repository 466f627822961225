/* See snapshot.h. Both sides share memory, so the format is only what is convenient; it is not a file
 * format. */
#include "engine/snapshot.h"

#include "base/mem.h"
#include "tape/text.h"

#include <string.h>

void sonde_snapshot_clear(struct sonde_snapshot *snapshot)
{
    sonde_bytes_clear(&snapshot->tapes);
    sonde_bytes_clear(&snapshot->learned);
}

static void add_tape(struct sonde_bytes *tapes, const struct sonde_harvested *h, const struct sonde_labels *labels)
{
    char *text = sonde_tape_to_text(&h->kept->tape, labels);
    uint8_t what = (uint8_t)h->what;
    sonde_bytes_add(tapes, &what, 1);
    sonde_bytes_add_u32(tapes, (uint32_t)h->order);
    sonde_bytes_add(tapes, text, strlen(text) + 1);
    sonde_free(text);
}

/* In the worker, between two cases, when everything is whole. */
void sonde_snapshot_take(struct sonde_snapshot *snapshot, struct sonde_harvest *harvest,
                         const struct sonde_labels *labels, struct sonde_guide *guide, bool is_sparse)
{
    snapshot->tapes.n = snapshot->learned.n = 0;
    for (uint32_t i = 0; i < SONDE_HARVEST_MAX; i++) {
        struct sonde_harvested *h = harvest->slots[i];
        if (!h || h->is_written || (h->what == SONDE_FOR_DEPTH && !is_sparse)) continue;
        add_tape(&snapshot->tapes, h, labels);
        /* Written once. If the worker dies before it gives the turn, the tape is missing in the store
         * until the next run finds it again. */
        h->is_written = true;
    }
    if (guide->ops->save) guide->ops->save(guide, &snapshot->learned);
}

struct sonde_reader sonde_snapshot_tapes(const struct sonde_snapshot *snapshot)
{
    return sonde_reader(snapshot->tapes.data, snapshot->tapes.n);
}

bool sonde_snapshot_next(struct sonde_reader *from, struct sonde_snapshot_tape *tape)
{
    if (from->at >= from->n) return false;
    const uint8_t *why = sonde_read_bytes(from, 1);
    tape->order = sonde_read_u32(from);
    tape->text = (const char *)from->data + from->at;
    tape->why = sonde_harvested_word(*why);
    sonde_read_bytes(from, strlen(tape->text) + 1);
    return true;
}

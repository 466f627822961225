/* sonde_corpus_keep: inputs that guides keep.
 * Also: sonde_corpus_drop
 * See also: sonde_guide_register sonde_tape_init */
#include <sonde/extend.h>

/* What a guide's learn() does with a valid input that reached something new. */
static struct sonde_kept *latest;

void keep_latest(struct sonde_corpus *corpus, const struct sonde_run *run)
{
    if (latest) sonde_corpus_drop(corpus, latest);
    latest = sonde_corpus_keep(corpus, run); /* a reference, to be dropped later */
}

int main(void)
{
    return 0;
}

/* sonde_tape_init: tapes and scripts, for authors of guides.
 * Also: sonde_tape_clear sonde_tape_copy sonde_tape_swap sonde_tape_end sonde_tape_bytes sonde_script_without sonde_script_replace sonde_choice_move sonde_list_length sonde_choice_blob sonde_blob_symbol
 * See also: sonde_guide_register sonde_corpus_keep */
#include <sonde/extend.h>

int main(void)
{
    struct sonde_tape tape, copy;
    sonde_tape_init(&tape);
    sonde_tape_init(&copy);
    sonde_tape_copy(&copy, &tape);
    sonde_tape_swap(&copy, &tape);
    int status = sonde_tape_bytes(&tape) == 0 ? 0 : 1; /* nothing was recorded */
    sonde_tape_clear(&copy);
    sonde_tape_clear(&tape);
    return status;
}

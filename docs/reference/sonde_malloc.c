/* sonde_malloc: memory that outlives a crash of the code under test.
 * Also: sonde_calloc sonde_realloc sonde_free sonde_bytes_add
 * See also: sonde_guide_register */
#include <sonde/extend.h>

int main(void)
{
    uint64_t *counts = sonde_calloc(8, sizeof *counts); /* never NULL */
    counts[3]++;
    counts = sonde_realloc(counts, 16 * sizeof *counts);
    struct sonde_bytes saved = {0};
    sonde_bytes_add(&saved, counts, 8 * sizeof *counts);
    int status = counts[3] == 1 ? 0 : 1;
    sonde_free(saved.data);
    sonde_free(counts);
    return status;
}

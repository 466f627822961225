/* See log.h. */
#include "zoo/log.h"

#include <errno.h>
#include <inttypes.h>

int zoo_log_open(struct zoo_log *log, const char *path, bool continues)
{
    *log = (struct zoo_log){0};
    snprintf(log->path, sizeof log->path, "%s", path);
    if (continues) zoo_record_read(&log->old, path);
    log->file = fopen(path, continues ? "a" : "w");
    if (!log->file) return -errno;
    return log->old.is_cut && fputc('\n', log->file) == EOF ? -errno : 0;
}

int zoo_log_close(struct zoo_log *log)
{
    zoo_record_clear(&log->old);
    return fclose(log->file) != 0 ? -errno : 0;
}

int zoo_search(struct zoo_log *log, struct bench *b, const struct zoo_workshop *shop, const struct zoo_animal *a,
               const char *guide, uint64_t seed, struct zoo_text *row)
{
    struct zoo_trial trial;
    const struct zoo_fault *faults;
    unsigned n = zoo_faults_of(&a->verdict, shop->form, &faults);
    zoo_print_row_key(row, b, a->number, shop, guide, seed);
    const char *known = zoo_record_find(&log->old, row->s);
    zoo_text_clear(row);
    if (known) {
        zoo_print(row, "%s\n", known);
        return 1;
    }
    if (!zoo_try(b, a->library, a->number, shop->form == ZOO_CANARY ? n : 0, guide, seed, &trial)) {
        fprintf(stderr, "zoo: subject %" PRIu64 ", %s, seed %" PRIu64 ": the search did not end well and is left out\n",
                a->number, guide, seed);
        return 0;
    }
    zoo_print_row(row, b, &trial, a, shop, guide, seed);
    errno = ENOSPC;
    return fwrite(row->s, 1, row->n, log->file) != row->n || fflush(log->file) != 0 ? -errno : 1;
}

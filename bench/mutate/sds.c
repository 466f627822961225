/* sds, the strings of hiredis: a buffer of bytes, and what splits, quotes and formats has an inverse or a twin. */
#include <sonde.h>

#include "sds.h"

#include <stdio.h>
#include <string.h>

struct text {
    char bytes[512];
    size_t n;
};

static void free_string(void *string)
{
    sdsfree(string);
}

static void free_last(void *string)
{
    sdsfree(*(sds *)string);
}

/* sdstrim looks for each byte with strchr, which finds NUL in every set. */
static bool is_trimmed(char c)
{
    return c == ' ' || c == '\0';
}

/* One call on the string and on its model. */
static void call(sonde *t, sds *s, struct text *model)
{
    char *more = sonde_string_of(t, "more", "ab c", 0, 12);
    size_t n = strlen(more);
    switch (sonde_pick(t, "call", 6)) {
    case 0:
        *s = sdscatlen(*s, more, n);
        memcpy(model->bytes + model->n, more, n);
        model->n += n;
        break;
    case 1:
        *s = sdscpylen(*s, more, n);
        memcpy(model->bytes, more, model->n = n);
        break;
    case 2: {
        int from = (int)sonde_int(t, "from", 0, 20), to = (int)sonde_int(t, "to", 0, 20);
        sdsrange(*s, from, to);
        size_t end = (size_t)to + 1 < model->n ? (size_t)to + 1 : model->n;
        size_t start = (size_t)from < end ? (size_t)from : end;
        memmove(model->bytes, model->bytes + start, model->n = end - start);
        break;
    }
    case 3:
        *s = sdstrim(*s, " ");
        while (model->n > 0 && is_trimmed(model->bytes[model->n - 1])) model->n--;
        while (model->n > 0 && is_trimmed(model->bytes[0])) memmove(model->bytes, model->bytes + 1, --model->n);
        break;
    case 4: {
        size_t length = (size_t)sonde_int(t, "length", 0, 300);
        *s = sdsgrowzero(*s, length);
        if (length > model->n) memset(model->bytes + model->n, 0, length - model->n);
        if (length > model->n) model->n = length;
        break;
    }
    default: *s = sdsRemoveFreeSpace(*s);
    }
}

SONDE_PROPERTY(is_a_buffer)
{
    sds *s = sonde_new(t, sds);
    struct text *model = sonde_new(t, struct text);
    *s = sdsempty();
    sonde_defer(t, free_last, s);
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 12); sonde_more(&calls);) {
        call(t, s, model);
        sonde_check_eq(t, sdslen(*s), model->n);
        sonde_check_mem_eq(t, *s, model->bytes, model->n);
        sonde_check_eq(t, (*s)[model->n], '\0');
    }
}

SONDE_PROPERTY(splits_what_it_joined)
{
    char *words[8], separator[] = "--";
    int n = 0, n_parts;
    for (sonde_list xs = sonde_list_of(t, "words", 1, 8); sonde_more(&xs);)
        words[n++] = sonde_string_of(t, "word", "abc", 0, 4);
    sds joined = sdsjoin(words, n, separator);
    sonde_defer(t, free_string, joined);
    sonde_assume(t, sdslen(joined) > 0);
    sds *parts = sdssplitlen(joined, (int)sdslen(joined), separator, 2, &n_parts);
    sonde_check_eq(t, n_parts, n);
    for (int i = 0; i < n; i++) sonde_check_eq(t, (const char *)parts[i], (const char *)words[i]);
    sdsfreesplitres(parts, n_parts);
}

SONDE_PROPERTY(reads_its_own_quotes)
{
    size_t n;
    int n_words;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 16, &n);
    sds quoted = sdscatrepr(sdsempty(), (const char *)bytes, n);
    sonde_defer(t, free_string, quoted);
    sds *words = sdssplitargs(quoted, &n_words);
    sonde_check_eq(t, n_words, 1);
    sonde_check_eq(t, sdslen(words[0]), n);
    sonde_check_mem_eq(t, words[0], bytes, n);
    sdsfreesplitres(words, n_words);
}

SONDE_PROPERTY(formats_like_printf)
{
    int i = (int)sonde_int(t, "i", INT32_MIN, INT32_MAX);
    unsigned u = sonde_u32(t, "u", 0, UINT32_MAX);
    char *word = sonde_string(t, "word", 0, 8), want[64];
    snprintf(want, sizeof want, "%d,%s,%u%%", i, word, u);
    sds got = sdscatfmt(sdsempty(), "%i,%s,%u%%", i, word, u);
    sonde_defer(t, free_string, got);
    sonde_check_eq(t, (const char *)got, (const char *)want);
}

SONDE_MAIN()

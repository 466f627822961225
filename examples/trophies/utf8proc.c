/* utf8proc: composing the letters of a string loses none. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static char *normalised(sonde *t, const char *text, utf8proc_option_t form)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, 0, &out,
                                      (utf8proc_option_t)(UTF8PROC_NULLTERM | UTF8PROC_STABLE | form));
    sonde_check_ge(t, n, 0);
    sonde_defer(t, free, out);
    return (char *)out;
}

/* Unicode, chapter 3.11: composing and decomposing a string gives the same as decomposing it. */
static void composing_loses_nothing(sonde *t)
{
    sonde_text text = {0};
    /* Korean: syllables, and the letters that they are made of. */
    for (sonde_list letters = sonde_list_of(t, "letters", 1, 4); sonde_more(&letters);) {
        int code = sonde_bool(t, "is_letter")
                       ? sonde_int(t, "letter", 0x11a0, 0x11ff)
                       : 0xac00 + 28 * sonde_int(t, "syllable", 0, 398) + sonde_int(t, "final", 0, 27);
        utf8proc_uint8_t bytes[4];
        utf8proc_ssize_t n = utf8proc_encode_char(code, bytes);
        sonde_put(t, &text, "%.*s", (int)n, (const char *)bytes);
        sonde_note(t, "U+%04X", (unsigned)code);
    }
    const char *composed = normalised(t, text.at, UTF8PROC_COMPOSE);
    sonde_check_eq(t, normalised(t, composed, UTF8PROC_DECOMPOSE), normalised(t, text.at, UTF8PROC_DECOMPOSE));
}

SONDE_MAIN(composing_loses_nothing)

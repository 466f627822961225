/* File names and paths: everything that a POSIX system accepts, weighted towards names that programs get wrong.
 *
 * Two bytes are not drawn: '/', which separates names, and NUL, which ends a path. Names may hold any other byte,
 * including invalid UTF-8, because the kernel accepts them. */
#include "gen/text.h"

#include <string.h>

/* Plain characters, then characters that shells, archives and parsers of paths treat specially. */
static const char characters[] = "abz019._-~ AZ#%&'\"\\*?:;|<>$!()[]{}@=+,\t\n\r\x01\x7f";

/* PLAIN must be the length of the plain prefix of `characters`. NAME_MOST is NAME_MAX of Linux, in bytes. */
enum { PLAIN = sizeof "abz019._-" - 1, NAME_MOST = 255 };

static bool is_reserved(const char *name, size_t n)
{
    return (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.');
}

/* Writes one character of a name, or a few bytes that form one character. */
static void put_character(struct sonde_gen_text *text)
{
    static const unsigned weights[] = {12, 3, 1, 1};
    /* An e with an accent as one character and as two (normalisation), and a mark that changes the writing direction.
     * Then a character outside the BMP, and one that looks like a slash. */
    static const char *const wide[] = {"\xc3\xa9", "e\xcc\x81", "\xe2\x80\xae", "\xf0\x9f\x98\x80", "\xef\xbc\x8f"};
    switch (sonde_weighted(text->t, "kind", weights, sizeof weights / sizeof *weights)) {
    case 0: sonde_gen_put(text, characters + sonde_pick(text->t, "char", PLAIN), 1); return;
    case 1:
        sonde_gen_put(text, characters + PLAIN + sonde_pick(text->t, "odd", sizeof characters - 1 - PLAIN), 1);
        return;
    case 2: sonde_gen_print(text, "%s", sonde_element(text->t, "wide", wide)); return;
    default: sonde_gen_print(text, "%c", sonde_int(text->t, "byte", 0x80, 0xff)); return;
    }
}

/* Writes a name. Long names are rare, and repeat one letter. */
static void put_name(struct sonde_gen_text *text)
{
    size_t start = text->n;
    if (sonde_chance(text->t, "long", 0.02)) {
        /* Lengths around the limit of 255 bytes find buffers that are one byte too short. */
        for (int left = sonde_int(text->t, "length", 250, NAME_MOST); left > 0; left--) sonde_gen_put(text, "a", 1);
        return;
    }
    sonde_list name = sonde_list_of(text->t, "name", 1, 12);
    while (sonde_more(&name)) put_character(text);
    /* "." and ".." are not file names. The name is made longer instead of drawn again, so that no draw is thrown
     * away. */
    if (is_reserved(text->at + start, text->n - start)) sonde_gen_put(text, "a", 1);
}

char *sonde_file_name(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_name(&text);
    return sonde_gen_end(&text);
}

char *sonde_file_path(sonde *t, const char *label)
{
    static const unsigned weights[] = {8, 2, 2, 1};
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    if (sonde_chance(t, "absolute", 0.4)) sonde_gen_put(&text, "/", 1);
    sonde_list parts = sonde_list_of(t, "parts", 1, 6);
    while (sonde_more(&parts)) {
        if (parts.i > 0) sonde_gen_put(&text, "/", 1);
        switch (sonde_weighted(t, "part", weights, sizeof weights / sizeof *weights)) {
        case 0: put_name(&text); break;
        case 1: sonde_gen_put(&text, "..", 2); break;
        case 2: sonde_gen_put(&text, ".", 1); break;
        default: sonde_gen_put(&text, "/", 1); break; /* an empty name between two slashes */
        }
    }
    if (sonde_chance(t, "ends_with_slash", 0.1)) sonde_gen_put(&text, "/", 1);
    return sonde_gen_end(&text);
}

/* File names and paths: all that a POSIX system takes, weighted towards what programs get wrong.
 *
 * Not drawn: '/', which separates, and NUL, which ends. Names may hold any other byte, invalid UTF-8
 * included, because the kernel accepts it. */
#include "gen/text.h"

#include <string.h>

/* Characters that shells, archives and parsers of paths treat in ways of their own stand behind the plain ones. */
static const char characters[] = "abz019._-~ AZ#%&'\"\\*?:;|<>$!()[]{}@=+,\t\n\r\x01\x7f";

/* Must be the length of the plain prefix of `characters`. */
enum { PLAIN = sizeof "abz019._-" - 1, NAME_MOST = 255 };

static bool is_taken(const char *name, size_t n)
{
    return (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.');
}

/* One character of a name, or a few bytes that stand for one. */
static void put_character(struct sonde_gen_text *text)
{
    static const unsigned weights[] = {12, 3, 1, 1};
    /* e with an accent as one character and as two (normalisation), a mark that turns the direction of
     * text, a character outside of the BMP, a slash that is none. */
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

/* Long names are few: all of one letter up to the limit. */
static void put_name(struct sonde_gen_text *text)
{
    size_t start = text->n;
    if (sonde_chance(text->t, "long", 0.02)) {
        /* NAME_MAX of Linux is 255 bytes; the names around it find buffers that are one too short. */
        for (int left = sonde_int(text->t, "length", 250, NAME_MOST); left > 0; left--) sonde_gen_put(text, "a", 1);
        return;
    }
    sonde_list name = sonde_list_of(text->t, "name", 1, 12);
    while (sonde_more(&name)) put_character(text);
    /* "." and ".." are no file names; the text is made longer instead of drawn again, so that no draw
     * is thrown away. */
    if (is_taken(text->at + start, text->n - start)) sonde_gen_put(text, "a", 1);
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
        default: sonde_gen_put(&text, "/", 1); break; /* nothing between two slashes */
        }
    }
    if (sonde_chance(t, "ends_with_slash", 0.1)) sonde_gen_put(&text, "/", 1);
    return sonde_gen_end(&text);
}

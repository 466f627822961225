/* Network addresses: IPv4, IPv6, URLs, e-mail addresses; and UUIDs.
 *
 * Each is built from labelled draws in one span (`text.c`), so that it shrinks part by part and guides learn which
 * parts matter. Values are valid by their RFC: 4291 for IPv6, 3986 for URLs, 5321 and 5322 for mail, 4122 for UUIDs.
 * Common forms have most of the weight; odd forms that parsers get wrong have some weight. */
#include "gen/text.h"

#include <string.h>

/* ---- Addresses */

/* Writes octets without leading zeros, which some parsers take for octal. */
static void put_ipv4(struct sonde_gen_text *text)
{
    for (int i = 0; i < 4; i++) sonde_gen_print(text, i ? ".%d" : "%d", sonde_int(text->t, "octet", 0, 255));
}

char *sonde_ipv4(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_ipv4(&text);
    return sonde_gen_end(&text);
}

/* Writes hexadecimal digits of either case, sometimes padded with zeros. */
static void put_group(struct sonde_gen_text *text)
{
    unsigned value = (uint32_t)sonde_u64(text->t, "group", 0, 0xffff);
    bool is_padded = sonde_chance(text->t, "is_padded", 0.1), is_upper = sonde_chance(text->t, "is_upper", 0.1);
    sonde_gen_print(text, is_upper ? is_padded ? "%04X" : "%X" : is_padded ? "%04x" : "%x", value);
}

/* Writes n groups with colons between them, but none at the ends. */
static void put_groups(struct sonde_gen_text *text, int n)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) sonde_gen_put(text, ":", 1);
        put_group(text);
    }
}

/* Writes groups before and after the "::", which must replace at least one group. */
static void put_ipv6(struct sonde_gen_text *text)
{
    sonde *t = text->t;
    bool is_whole = sonde_chance(t, "is_whole", 0.3), is_mixed = sonde_chance(t, "ends_as_ipv4", 0.15);
    bool ends_in_group = is_whole;
    int room = is_mixed ? 6 : 8;
    if (is_whole) {
        put_groups(text, room);
    } else {
        int before = sonde_int(t, "before", 0, room - 1);
        int behind = sonde_int(t, "behind", 0, room - 1 - before);
        put_groups(text, before);
        sonde_gen_put(text, "::", 2);
        put_groups(text, behind);
        ends_in_group = behind > 0;
    }
    if (!is_mixed) return;
    if (ends_in_group) sonde_gen_put(text, ":", 1); /* "::" already separates the IPv4 part */
    put_ipv4(text);
}

char *sonde_ipv6(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_ipv6(&text);
    return sonde_gen_end(&text);
}

/* ---- Names */

/* A few characters of each class are enough for parsers, and a small domain is explored sooner. */
static const char alphanumeric[] = "abcxyz0189ABZ";

/* Writes a label of a host name: letters, digits, and hyphens that are neither first nor last. */
static void put_host_part(struct sonde_gen_text *text)
{
    sonde_list part = sonde_list_of(text->t, "part", 1, 10);
    while (sonde_more(&part)) {
        bool is_inner = part.i > 0 && part.i + 1 < part.n;
        if (is_inner && sonde_chance(text->t, "hyphen", 0.1)) sonde_gen_put(text, "-", 1);
        else sonde_gen_put(text, alphanumeric + sonde_pick(text->t, "char", sizeof alphanumeric - 1), 1);
    }
}

/* Writes one to four labels; no trailing dot, which many programs refuse. */
static void put_host(struct sonde_gen_text *text)
{
    sonde_list host = sonde_list_of(text->t, "host", 1, 4);
    while (sonde_more(&host)) {
        if (host.i > 0) sonde_gen_put(text, ".", 1);
        put_host_part(text);
    }
}

/* ---- URLs. Each part may hold alphanumeric characters, the marks in `more`, and escapes. */

/* Writes any byte as an escape, including control characters and slashes, which decoders get wrong. */
static void put_escape(struct sonde_gen_text *text)
{
    int byte = sonde_int(text->t, "byte", 0, 255);
    sonde_gen_print(text, sonde_bool(text->t, "is_upper") ? "%%%02X" : "%%%02x", (unsigned)byte);
}

/* Writes one part of a URL. `more` are the marks that RFC 3986 allows unescaped in this part. */
static void put_url_part(struct sonde_gen_text *text, const char *label, size_t min, const char *more)
{
    static const unsigned weights[] = {10, 2, 1};
    sonde_list part = sonde_list_of(text->t, label, min, 10);
    while (sonde_more(&part)) {
        switch (sonde_weighted(text->t, "kind", weights, sizeof weights / sizeof *weights)) {
        case 0: sonde_gen_put(text, alphanumeric + sonde_pick(text->t, "char", sizeof alphanumeric - 1), 1); break;
        case 1: sonde_gen_put(text, more + sonde_pick(text->t, "mark", strlen(more)), 1); break;
        default: put_escape(text); break;
        }
    }
}

/* Writes user, host and port. The port may be 0 and the user part may be empty; RFC 3986, section 3.2 allows both. */
static void put_authority(struct sonde_gen_text *text)
{
    static const unsigned weights[] = {8, 1, 1};
    sonde *t = text->t;
    if (sonde_chance(t, "has_user", 0.15)) {
        put_url_part(text, "user", 0, "-._~!$&'()*+,;=:");
        sonde_gen_put(text, "@", 1);
    }
    switch (sonde_weighted(t, "host_kind", weights, sizeof weights / sizeof *weights)) {
    case 0: put_host(text); break;
    case 1: put_ipv4(text); break;
    default:
        sonde_gen_put(text, "[", 1);
        put_ipv6(text);
        sonde_gen_put(text, "]", 1);
        break;
    }
    if (sonde_chance(t, "has_port", 0.2)) sonde_gen_print(text, ":%d", sonde_int(t, "port", 0, 65535));
}

/* Returns an absolute URL: scheme://authority/path?query#fragment; each part has a separate rule. */
char *sonde_url(sonde *t, const char *label)
{
    /* The last scheme has every kind of character that a scheme may have. */
    static const char *const schemes[] = {"http", "https", "ftp", "file", "ws", "x-a+b.1"};
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    sonde_gen_print(&text, "%s://", sonde_element(t, "scheme", schemes));
    put_authority(&text);
    sonde_list path = sonde_list_of(t, "path", 0, 5);
    while (sonde_more(&path)) {
        sonde_gen_put(&text, "/", 1);
        put_url_part(&text, "segment", 0, "-._~!$&'()*+,;=:@");
    }
    if (sonde_chance(t, "has_query", 0.3)) {
        sonde_gen_put(&text, "?", 1);
        put_url_part(&text, "query", 0, "-._~!$&'()*+,;=:@/?");
    }
    if (sonde_chance(t, "has_fragment", 0.15)) {
        sonde_gen_put(&text, "#", 1);
        put_url_part(&text, "fragment", 0, "-._~!$&'()*+,;=:@/?");
    }
    return sonde_gen_end(&text);
}

/* ---- E-mail */

/* Writes atoms with dots between them, or anything printable in quotes. */
static void put_local_part(struct sonde_gen_text *text)
{
    static const char atom[] = "abcxyz0189ABZ!#$%&'*+-/=?^_`{|}~";
    sonde *t = text->t;
    if (sonde_chance(t, "is_quoted", 0.1)) {
        sonde_gen_put(text, "\"", 1);
        sonde_list quoted = sonde_list_of(t, "quoted", 0, 10);
        while (sonde_more(&quoted)) {
            int c = sonde_int(t, "char", ' ', '~');
            sonde_gen_print(text, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
        sonde_gen_put(text, "\"", 1);
        return;
    }
    sonde_list atoms = sonde_list_of(t, "atoms", 1, 3);
    while (sonde_more(&atoms)) {
        if (atoms.i > 0) sonde_gen_put(text, ".", 1);
        sonde_list one = sonde_list_of(t, "atom", 1, 8);
        while (sonde_more(&one)) sonde_gen_put(text, atom + sonde_pick(t, "char", sizeof atom - 1), 1);
    }
}

/* Also draws user@[1.2.3.4], which RFC 5321 allows and few tests try. */
char *sonde_email(sonde *t, const char *label)
{
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    put_local_part(&text);
    sonde_gen_put(&text, "@", 1);
    if (sonde_chance(t, "is_literal", 0.05)) {
        sonde_gen_put(&text, "[", 1);
        put_ipv4(&text);
        sonde_gen_put(&text, "]", 1);
    } else {
        put_host(&text);
    }
    return sonde_gen_end(&text);
}

/* ---- UUIDs by RFC 4122; most are of version 4. */
char *sonde_uuid(sonde *t, const char *label)
{
    /* Versions in the order of how common they are, so that shrunk inputs have version 4. */
    static const int versions[] = {4, 1, 3, 5, 2, 6, 7, 8};
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    bool is_upper = sonde_chance(t, "is_upper", 0.1);
    unsigned first = (uint32_t)sonde_u64(t, "time_low", 0, UINT32_MAX),
             second = (uint32_t)sonde_u64(t, "time_mid", 0, 0xffff);
    unsigned version = (unsigned)sonde_element(t, "version", versions),
             third = (uint32_t)sonde_u64(t, "time_high", 0, 0xfff);
    /* The two top bits 10 are the variant of RFC 4122. */
    unsigned fourth = 0x8000 | (uint32_t)sonde_u64(t, "clock", 0, 0x3fff);
    unsigned long long node = sonde_u64(t, "node", 0, 0xffffffffffff);
    sonde_gen_print(&text, is_upper ? "%08X-%04X-%X%03X-%04X-%012llX" : "%08x-%04x-%x%03x-%04x-%012llx", first, second,
                    version, third, fourth, node);
    return sonde_gen_end(&text);
}

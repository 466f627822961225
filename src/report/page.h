/* The page of --report html: one HTML file that holds everything, opens from disk and asks nobody for anything.
 *
 * What it shows is data, one JSON object, which page.c writes from the events of a run; how it shows it is a script
 * (src/report/page), embedded as bytes in assets.c. The same data, written again and again while the run goes on, and the same
 * script make the live page: its sondePage.render(data) may be called at any time with newer data.
 *
 * A page, from its beginning: head with a policy that forbids every request; the report for people, as the terminal shows
 * it, for readers without scripts; then blocks that the script reads, each a <script> of a type that is not executed:
 *     sonde-data       the data
 *     sonde-places     which code was reached (for `sonde html`, which turns it into sonde-source)
 *     sonde-source     what `sonde html` made of it, or null
 *     sonde-baseline   the data of an older page, or null; and sonde-baseline-source
 *     sonde-page       the script, compressed, in base 64
 * and a few lines that unpack it. No text of the program under test stands anywhere but in these blocks, where < is \u003c,
 * and in the report for people, where it is &lt;.
 *
 * The places are lines, which is simpler for `sonde html` than JSON:
 *
 *     property I NAME           begins the places of one, the I-th of the data from 0; bytes of its name that are no plain
 *                               characters are %XX
 *     module N ID PATH          a file of code: N counts from 0 within the property; ID, 16 hex digits, is the hash of its
 *                               build id (base/image.h); PATH is written as the name
 *     called N                  the places of that module are known by their calls (struct sonde_code_module)
 *     N OFFSET BY FIRST         a place: module, offset in hex, enum sonde_reached_by, index + 1 of the input in the data
 *
 * Example: "0 1a40 1 3" is a place of module 0 that valid inputs reached, the third input of the page first. */
#ifndef SONDE_REPORT_PAGE_H
#define SONDE_REPORT_PAGE_H

#include <sonde/extend.h>

/* What events have said so far, with the C library's memory. */
struct sonde_page;
struct sonde_page *sonde_page_create(void);
void sonde_page_free(struct sonde_page *page);
void sonde_page_event(struct sonde_page *page, const struct sonde_event *event);

/* Writes the data of a run that has ended or is running: a JSON object, without a line end after it. */
void sonde_page_data_write(FILE *out, const struct sonde_page *page);
/* Writes JSON, or a part of it, so that it can stand in a page: <, > and & as escapes. They stand in strings alone, so they
 * can be replaced wherever they are; then no string can end the element that the data stands in, or begin a comment there. */
void sonde_page_put_safe(FILE *out, const char *json);
/* What it says of the code, as lines; NULL if nothing. */
const char *sonde_page_places(const struct sonde_page *page);
/* Whether any property has reached places in the code that `sonde html` could show. */
bool sonde_page_has_places(const struct sonde_page *page);

/* The parts of a page; texts may be NULL. */
struct sonde_page_parts {
    const char *data;                       /* as sonde_page_data_write writes it */
    const char *places;                     /* lines */
    const char *plain;                      /* the report for people */
    const char *baseline, *baseline_source; /* of an older page, as they stand there */
    const char *nonce;                      /* of a server's policy; NULL: a file, which has its policy in its head */
    const char *live;                       /* a script of the server's own, which comes last */
};
void sonde_page_write_parts(FILE *out, const struct sonde_page_parts *parts);

/* Bytes of a page that are read again at most. */
enum { SONDE_PAGE_MOST = 256 << 20 };

/* The reporter writes the page at the end of the run. `baseline`: the file of an older page; NULL: none. */
struct sonde_reporter *sonde_html_create(FILE *out, const char *baseline);

/* Whether the page that it wrote has places that `sonde html` could show as lines. */
bool sonde_html_has_places(const struct sonde_reporter *reporter);

/* Takes a block out of the text of a page: what stands between its tags; NULL if it is not there. To be freed by sonde_free. */
char *sonde_page_block(const char *html, const char *id);
/* All of a file, with a NUL at its end; NULL if it cannot be read or has more than `most` bytes. To be freed by sonde_free. */
char *sonde_page_read(const char *path, size_t most, size_t *n);

/* assets.c: the script, as gzip compresses it. */
extern const unsigned char sonde_page_script[];
extern const size_t sonde_page_script_size;

#endif

/* The page of --report html: one self-contained HTML file that can be opened from disk and makes no network
 * request.
 *
 * The page consists of data, one JSON object that page.c writes from the events of a run, and a script that shows
 * it. The script (src/report/page) is embedded as bytes in assets.c. The live page of --serve uses the same
 * script, and calls sondePage.render(data) whenever newer data arrives.
 *
 * The file begins with a policy that forbids every request. The terminal report follows, for readers without
 * scripts. Then come blocks that the script reads, each a <script> of a type that is not executed, and a few lines
 * that unpack the script:
 *     sonde-data       the data
 *     sonde-places     which code was reached (for `sonde html`, which turns it into sonde-source)
 *     sonde-source     the source lines that `sonde html` made of it, or null
 *     sonde-baseline   the data of an older page, or null; sonde-baseline-source is its sonde-source
 *     sonde-page       the script, compressed, in base 64
 * Strings from the program under test occur only in these blocks, where < is \u003c, and in the terminal report,
 * where < is &lt;.
 *
 * Reached code is described by lines, which `sonde html` can read more easily than JSON:
 *
 *     property I NAME           begins the lines of one property; I is its index in the data, from 0; in NAME, bytes
 *                               that are not plain characters are %XX
 *     module N ID PATH          a file of code: N counts from 0 within the property; ID, 16 hex digits, is the hash of
 *                               its build id (base/image.h); PATH is escaped like NAME
 *     called N                  locations of that module are known by their calls (struct sonde_code_module)
 *     N OFFSET BY FIRST         a location: module, offset in hex, enum sonde_reached_by, and index + 1 in the data of
 *                               the first input that reached it
 *
 * Example: "0 1a40 1 3" is a location in module 0 that valid inputs reached, the third input of the page first. */
#ifndef SONDE_REPORT_PAGE_H
#define SONDE_REPORT_PAGE_H

#include <sonde/extend.h>

/* The data of a page, collected from events. */
struct sonde_page;
/* Returns a page without data, allocated from the C library; free it with sonde_page_free. */
struct sonde_page *sonde_page_create(void);
/* Frees a page. */
void sonde_page_free(struct sonde_page *page);
/* Adds the data of an event, which need not live longer than the call. */
void sonde_page_event(struct sonde_page *page, const struct sonde_event *event);

/* Writes the data of a run, which may be in progress: a JSON object, without a line end after it. */
void sonde_page_data_write(FILE *out, const struct sonde_page *page);
/* Writes JSON, or a part of it, with <, > and & as escapes, so that a page can contain it. These characters occur
 * only inside strings, so they can be replaced anywhere. No string can then end the element around it or begin a
 * comment. */
void sonde_page_put_safe(FILE *out, const char *json);
/* Returns the lines about reached code, borrowed from the page; NULL if there are none. */
const char *sonde_page_places(const struct sonde_page *page);
/* Returns whether any property has reached locations in the code that `sonde html` could show. */
bool sonde_page_has_places(const struct sonde_page *page);

/* The parts of a page; strings may be NULL. */
struct sonde_page_parts {
    const char *data;                       /* the output of sonde_page_data_write */
    const char *places;                     /* the lines about reached code */
    const char *plain;                      /* the terminal report */
    const char *baseline, *baseline_source; /* blocks of an older page, unchanged */
    /* random value that the server's policy requires of scripts; NULL: the page is a file with a policy in its head */
    const char *nonce;
    const char *live; /* script of the live server; last in the page */
};
/* Writes a page. */
void sonde_page_write_parts(FILE *out, const struct sonde_page_parts *parts);

enum { SONDE_PAGE_MOST = 256 << 20 }; /* maximum size in bytes of a page that is read again; a larger file is refused */

/* Creates a reporter that writes the page at the end of the run. `baseline` is the file of an older page, or NULL. */
struct sonde_reporter *sonde_html_create(FILE *out, const char *baseline);

/* Returns whether the page of this reporter has locations that `sonde html` could show as lines. */
bool sonde_html_has_places(const struct sonde_reporter *reporter);

/* Returns a copy of a block's content; NULL if the page has no such block. The caller frees it with sonde_free. */
char *sonde_page_block(const char *html, const char *id);
/* Reads a whole file and adds a NUL; *n receives its size. Returns NULL with errno set if it cannot be read or has
 * more than `most` bytes. The caller frees the result with sonde_free. */
char *sonde_page_read(const char *path, size_t most, size_t *n);

/* assets.c: the script, compressed by gzip. */
extern const unsigned char sonde_page_script[];
extern const size_t sonde_page_script_size;

#endif

/* Writes and reads the HTML page of --report html; page.h describes its parts. */
#include "report/page.h"

#include "report/report.h"
#include "report/write.h"
#include "store/files.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* The browser may fetch nothing; only scripts and styles inside the page are allowed. */
#define POLICY                                                                                                         \
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/* ---- Base 64 */

static void put_base64(FILE *out, const unsigned char *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned left = n - i < 3 ? (unsigned)(n - i) : 3;
        unsigned bits = (unsigned)data[i] << 16;
        if (left > 1) bits |= (unsigned)data[i + 1] << 8;
        if (left > 2) bits |= data[i + 2];
        for (unsigned k = 0; k < 4; k++) fputc(k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* ---- Writing */

/* Writes a block of data: a script element of a type that browsers do not execute. */
static void put_block(FILE *out, const char *type, const char *id, const char *text)
{
    fprintf(out, "<script type=\"%s\" id=\"%s\">%s</script>\n", type, id, text ? text : "null");
}

static void put_nonce(FILE *out, const char *nonce)
{
    if (nonce) fprintf(out, " nonce=\"%s\"", nonce);
}

/* Unpacks the script and runs it. A browser that lacks DecompressionStream (older than 2023) shows the terminal
 * report. */
static const char loader[] =
    "(async function(me){try{var b=Uint8Array.from(atob(document.getElementById('sonde-page').textContent.trim()),"
    "function(c){return c.charCodeAt(0)});var t=await new Response(new Blob([b]).stream().pipeThrough("
    "new DecompressionStream('gzip'))).text();var s=document.createElement('script');s.nonce=me.nonce||'';"
    "s.textContent=t;document.head.append(s)}catch(e){document.documentElement.dataset.failed=String(e)}})"
    "(document.currentScript)";

void sonde_page_write_parts(FILE *out, const struct sonde_page_parts *p)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    if (!p->nonce) fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n", out);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"generator\" content=\"sonde " SONDE_VERSION "\">\n<title>sonde</title>\n</head>\n<body>\n"
          "<main id=\"app\"><pre id=\"plain\">",
          out);
    if (p->plain) sonde_write_xml(out, p->plain, strlen(p->plain));
    fputs("</pre></main>\n", out);
    put_block(out, "application/json", "sonde-data", p->data);
    put_block(out, "text/plain", "sonde-places", p->places ? p->places : "");
    put_block(out, "application/json", "sonde-source", NULL);
    put_block(out, "application/json", "sonde-baseline", p->baseline);
    put_block(out, "application/json", "sonde-baseline-source", p->baseline_source);
    fputs("<!-- The script below embeds uPlot 1.6.32, (c) Leon Sorokin, MIT licence. -->\n"
          "<script type=\"text/plain\" id=\"sonde-page\">",
          out);
    put_base64(out, sonde_page_script, sonde_page_script_size);
    fputs("</script>\n<script", out);
    put_nonce(out, p->nonce);
    fprintf(out, ">%s</script>\n", loader);
    if (p->live) {
        fputs("<script", out);
        put_nonce(out, p->nonce);
        fprintf(out, ">%s</script>\n", p->live);
    }
    fputs("</body>\n</html>\n", out);
}

/* ---- Reading */

char *sonde_page_read(const char *path, size_t most, size_t *n)
{
    char *bytes = NULL;
    int error = sonde_read_file(path, most, true, &bytes, n);
    if (error) errno = error == -EXDEV ? EACCES : -error; /* -EXDEV: a file in /proc or /sys */
    return bytes;
}

/* Compares strings only, because put_block alone writes these tags. */
char *sonde_page_block(const char *html, const char *id)
{
    char tag[64];
    snprintf(tag, sizeof tag, " id=\"%s\">", id);
    const char *begin = strstr(html, tag);
    const char *end = begin ? strstr(begin, "</script>") : NULL;
    if (!end) return NULL;
    begin += strlen(tag);
    return sonde_strndup(begin, (size_t)(end - begin));
}

/* ---- The reporter */

/* The HTML reporter. It contains a terminal reporter, which writes the plain report. */
struct html_reporter {
    struct sonde_reporter base;
    FILE *out;
    struct sonde_page *page;
    struct sonde_buffer plain; /* output of `terminal` */
    struct sonde_reporter *terminal;
    char *baseline, *baseline_source;
};

static void write_page(struct html_reporter *h)
{
    struct sonde_buffer data;
    sonde_page_data_write(sonde_buffer_open(&data), h->page);
    fflush(h->plain.out);
    sonde_page_write_parts(h->out, &(struct sonde_page_parts){.data = sonde_buffer_close(&data),
                                                              .places = sonde_page_places(h->page),
                                                              .plain = h->plain.text,
                                                              .baseline = h->baseline,
                                                              .baseline_source = h->baseline_source});
    sonde_buffer_clear(&data);
}

static void html_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct html_reporter *h = (struct html_reporter *)reporter;
    sonde_page_event(h->page, event);
    h->terminal->event(h->terminal, event);
    if (event->kind == SONDE_EVENT_END) write_page(h);
}

static void html_destroy(struct sonde_reporter *reporter)
{
    struct html_reporter *h = (struct html_reporter *)reporter;
    h->terminal->destroy(h->terminal);
    sonde_buffer_clear(&h->plain);
    sonde_free(h->baseline);
    sonde_free(h->baseline_source);
    sonde_page_free(h->page);
    sonde_free(h);
}

/* Reads the older page. main.c checked it before the run; if it cannot be read any more, the page has no baseline. */
static void read_baseline(struct html_reporter *h, const char *path)
{
    size_t n;
    char *html = path ? sonde_page_read(path, SONDE_PAGE_MOST, &n) : NULL;
    if (!html) return;
    h->baseline = sonde_page_block(html, "sonde-data");
    h->baseline_source = sonde_page_block(html, "sonde-source");
    sonde_free(html);
}

struct sonde_reporter *sonde_html_create(FILE *out, const char *baseline)
{
    struct html_reporter *h = sonde_reporter_new(sizeof *h, html_event);
    h->base.destroy = html_destroy;
    h->out = out;
    h->page = sonde_page_create();
    h->terminal = sonde_terminal_create(sonde_buffer_open(&h->plain),
                                        &(struct sonde_terminal_style){.utf8 = true, .several = true});
    read_baseline(h, baseline);
    return &h->base;
}

bool sonde_html_has_places(const struct sonde_reporter *reporter)
{
    return sonde_page_has_places(((const struct html_reporter *)reporter)->page);
}

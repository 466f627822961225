/* Finds sonde.conf, decides which profile applies, and reads its settings; profile.h describes the file. */
#include "cli/profile.h"

#include "base/mem.h"
#include "store/files.h"
#include "store/home.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONF_BYTES_MAX = 1 << 20 }; /* a file of settings has a few hundred bytes */

/* ---- Which profile applies */

static bool is_yes(const char *text)
{
    return text && (!strcmp(text, "true") || !strcmp(text, "1") || !strcmp(text, "yes"));
}

/* Returns the profile that --profile or SONDE_PROFILE names; NULL if neither does. Options are parsed later than
 * the file, so this function looks for --profile itself; as with any option, the last one wins. */
static const char *asked_for(int argc, char *const *argv)
{
    const char *name = getenv("SONDE_PROFILE");
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--profile=", 10)) name = argv[i] + 10;
        else if (!strcmp(argv[i], "--profile") && i + 1 < argc) name = argv[i + 1];
    }
    return name && *name ? name : NULL;
}

const char *sonde_profile_commit(void)
{
    static const char *const names[] = {"GITHUB_SHA",       "CI_COMMIT_SHA",       "CIRCLE_SHA1",
                                        "BUILDKITE_COMMIT", "BUILD_SOURCEVERSION", "GIT_COMMIT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && strlen(value) >= 7 && !value[strspn(value, "0123456789abcdef")]) return value;
    }
    return NULL;
}

/* ---- The file */

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--) text[n - 1] = 0;
    return text;
}

/* Cuts a comment off. It must begin the line or follow a blank, because a value may contain a # or a semicolon. */
static void drop_comment(char *line)
{
    for (char *c = line; *c; c++) {
        bool begins = c == line || isspace((unsigned char)c[-1]);
        if (begins && (*c == '#' || *c == ';')) *c = 0;
        if (!*c) return;
    }
}

/* The state of reading one file. */
struct reader {
    struct sonde_profile *profile;
    const char *section; /* NULL: before the first section */
    bool has_section;    /* the file has a section for the profile that applies */
    int line;
    char *message;
    size_t size;
};

static int complain(const struct reader *r, const char *what, const char *text)
{
    snprintf(r->message, r->size, "%s:%d: %s '%s'; write [profile] or option = value", r->profile->file, r->line, what,
             text);
    return -1;
}

static int read_section(struct reader *r, char *line)
{
    char *end = strchr(line, ']');
    if (!end || *trimmed(end + 1)) return complain(r, "no profile name in", line);
    *end = 0;
    r->section = trimmed(line + 1);
    if (!*r->section) return complain(r, "no profile name in", "[]");
    r->has_section |= !strcmp(r->section, r->profile->name);
    return 0;
}

static int read_setting(struct reader *r, char *line)
{
    struct sonde_profile *p = r->profile;
    char *equals = strchr(line, '=');
    if (!equals) return complain(r, "no = in", line);
    *equals = 0;
    bool applies = !r->section || !strcmp(r->section, p->name);
    p->settings = sonde_realloc(p->settings, (p->n + 1) * sizeof *p->settings);
    p->settings[p->n++] = (struct sonde_setting){trimmed(line), trimmed(equals + 1), r->line, applies};
    return 0;
}

static int read_lines(struct reader *r)
{
    char *rest = r->profile->text, *line;
    int error = 0;
    while (!error && (line = strsep(&rest, "\n"))) {
        r->line++;
        drop_comment(line);
        line = trimmed(line);
        if (*line == '[') error = read_section(r, line);
        else if (*line) error = read_setting(r, line);
    }
    return error;
}

/* Reads a file into a string that the caller frees. Returns 0 or a negative errno; -EILSEQ if it holds a zero
 * byte. */
static int read_text(const char *file, char **text)
{
    size_t n = 0;
    int error = sonde_read_file(file, CONF_BYTES_MAX, true, text, &n);
    return !error && strlen(*text) != n ? -EILSEQ : error;
}

/* ---- Reading a profile */

/* Returns -1, with a message, if the profile does not exist. dev and ci always exist, even without a section. */
static int must_exist(const struct sonde_profile *p, bool has_section, char *message, size_t size)
{
    static const char *const always[] = {"dev", "ci"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!strcmp(p->name, always[i])) return 0;
    if (has_section) return 0;
    if (p->file)
        snprintf(message, size, "%s has no profile '%s'; write a section [%s] there", p->file, p->name, p->name);
    else
        snprintf(message, size,
                 "there is no profile '%s': the repository of the test's source has no sonde.conf; write one with a "
                 "section [%s]",
                 p->name, p->name);
    return -1;
}

int sonde_profile_read(struct sonde_profile *profile, int argc, char *const *argv, const char *program,
                       const char *source, char *message, size_t size)
{
    const char *asked = asked_for(argc, argv);
    *profile = (struct sonde_profile){.name = asked ? asked : is_yes(getenv("CI")) ? "ci" : "dev"};
    profile->is_ci = !strcmp(profile->name, "ci");
    char *root = sonde_home_root(program, source), *file = root ? sonde_path("%s/sonde.conf", root) : NULL;
    struct reader r = {.profile = profile, .message = message, .size = size};
    int error = file ? read_text(file, &profile->text) : -ENOENT;
    sonde_free(root);
    if (error == -ENOENT) {
        sonde_free(file);
    } else {
        profile->file = file;
        if (error) {
            snprintf(message, size, "%s cannot be read: %s", file, strerror(-error));
            return -1;
        }
        if (read_lines(&r)) return -1;
    }
    return must_exist(profile, r.has_section, message, size);
}

void sonde_profile_clear(struct sonde_profile *profile)
{
    sonde_free(profile->file);
    sonde_free(profile->text);
    sonde_free(profile->settings);
}

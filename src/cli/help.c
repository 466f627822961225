/* Prints the options table as --help and as a manual page. Nothing about a single option is written here.
 * Defaults are read from the struct that the parser fills, by the option's offset, so that help and behaviour cannot
 * differ. */
#include "cli/options.h"
#include "guide/guides.h"

#include <inttypes.h>
#include <string.h>

/* The layout of --help. */
enum {
    HELP_COLUMN = 28, /* descriptions begin at this column; after a longer name, on the next line */
    HELP_WIDTH = 100  /* lines are broken before this column */
};

static const struct {
    const char *status; /* the exit status, as in enum sonde_status */
    const char *meaning;
} statuses[] = {
    {"0", "every property held"},
    {"1", "a property was falsified: a check failed, or the code under test crashed, hung or leaked"},
    {"2", "an option or an input is wrong, a property misuses sonde, or the run tested too little (--strict, "
          "--regressions)"},
    {"77", "gave up: too few inputs were valid"},
    {"99", "an error inside sonde"},
    {"128+N",
     "signal N (INT: 130, TERM: 143, HUP: 129) ended the run before it reached a limit, and no failure had been found; "
     "also with --fuzz"},
};

/* Flags and counts of 0, which mean "no limit" or "not set", have no default worth printing. */
void sonde_option_default(const struct sonde_option *option, char *out, size_t size)
{
    struct sonde_cli cli;
    sonde_cli_default(&cli);
    const char *at = (const char *)&cli + option->offset, *text;
    uint64_t count;
    double seconds;
    snprintf(out, size, "%s", "");
    switch (option->type) {
    case SONDE_OPTION_COUNT:
        memcpy(&count, at, sizeof count);
        if (count) snprintf(out, size, "%" PRIu64, count);
        break;
    case SONDE_OPTION_SIZE:
        memcpy(&count, at, sizeof count);
        /* Print the count the way a person would type it. */
        if (count % (1 << 20) == 0) snprintf(out, size, "%" PRIu64 "M", count >> 20);
        else snprintf(out, size, "%" PRIu64, count);
        break;
    case SONDE_OPTION_SECONDS:
    case SONDE_OPTION_MINUTES:
        memcpy(&seconds, at, sizeof seconds);
        if (seconds > 0) snprintf(out, size, "%g", seconds);
        break;
    case SONDE_OPTION_TEXT:
    case SONDE_OPTION_WORD:
    case SONDE_OPTION_GUIDE:
    case SONDE_OPTION_KNOBS:
    case SONDE_OPTION_SHARE:
        memcpy(&text, at, sizeof text);
        if (text) snprintf(out, size, "%s", text);
        break;
    default: break;
    }
}

/* Prints a string from column `column` on, with line breaks between words before HELP_WIDTH. The caller has moved
 * to the column. A word longer than the line stays whole. */
static void put_wrapped(FILE *out, const char *text, int column)
{
    int at = column;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (at > column && at + 1 + n > HELP_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            at += fprintf(out, " ");
        }
        at += fprintf(out, "%.*s", n, text);
        text += n;
        if (*text) text++;
    }
    fputc('\n', out);
}

/* State while knobs are printed. */
struct knobs_list {
    FILE *out;
    char guides[256]; /* the guides in the last heading: a copy, since sonde_knobs_each reuses its string */
};

/* Returns whether a heading is due: all knobs of one guide follow each other. */
static bool is_next_guide(struct knobs_list *list, const char *guides)
{
    if (strcmp(list->guides, guides) == 0) return false;
    snprintf(list->guides, sizeof list->guides, "%s", guides);
    return true;
}

/* Describes a knob, as in "what it does; a number from 0 to 1". */
static void describe_knob(const struct sonde_knob *k, char *text, size_t size)
{
    char range[256];
    sonde_knob_range(k, range, sizeof range);
    snprintf(text, size, "%s; %s", k->meaning, range);
}

/* Prints " -n, --tests N" and its help, followed by the default in parentheses. */
static void put_option(FILE *out, const struct sonde_option *option)
{
    char preset[64], help[512];
    int n = option->letter ? fprintf(out, "  -%c, --%s", option->letter, option->name)
                           : fprintf(out, "      --%s", option->name);
    if (option->metavar && sonde_option_may_lack_value(option)) n += fprintf(out, "[=%s]", option->metavar);
    else if (option->metavar) n += fprintf(out, " %s", option->metavar);
    if (n > HELP_COLUMN - 2) fprintf(out, "\n%*s", HELP_COLUMN, "");
    else fprintf(out, "%*s", HELP_COLUMN - n, "");
    sonde_option_default(option, preset, sizeof preset);
    snprintf(help, sizeof help, *preset ? "%s (%s)" : "%s", option->help, preset);
    put_wrapped(out, help, HELP_COLUMN);
}

/* Prints names and summaries: of common guides for --help, of all guides for --guide help. */
static void put_guides(FILE *out, const struct sonde_guide_ops *const *guides)
{
    for (; *guides; guides++) {
        int n = fprintf(out, "  %s", (*guides)->name);
        fprintf(out, "%*s", n < HELP_COLUMN ? HELP_COLUMN - n : 1, "");
        put_wrapped(out, (*guides)->summary, HELP_COLUMN);
    }
}

/* The table is sorted by group, so a heading is due when the group changes. */
void sonde_cli_help(FILE *out, const char *program)
{
    fprintf(out,
            "Usage: %s [option]...\n\nTests properties of C code: searches for inputs for which a check fails, and "
            "shrinks them.\nA case is one execution of a property with one input. Defaults are in parentheses.\n",
            program);
    const char *group = "";
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        if (strcmp(group, o->group) != 0) fprintf(out, "\n%s:\n", o->group);
        group = o->group;
        put_option(out, o);
    }
    fputs("\nGuides:\n", out);
    put_guides(out, sonde_guides_common);
    fputs("\nMost options can also be set in the environment: --tests as SONDE_TESTS, --max-choices as\n"
          "SONDE_MAX_CHOICES, and so on; flags as SONDE_QUIET=1. The command line wins.\n\nExit status:\n",
          out);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        fprintf(out, "  %-5s ", statuses[i].status);
        put_wrapped(out, statuses[i].meaning, 8);
    }
}

/* Prints guides in the order of the array, in which registered guides come last. */
void sonde_cli_help_guides(FILE *out)
{
    fputs("Guides, for --guide NAME. The last few are published methods, for comparison.\n\n", out);
    put_guides(out, sonde_guides);
}

/* Prints a knob, after a heading if its guides differ from the guides of the previous knob. */
static void put_knob(void *to, const char *guides, const struct sonde_knob *k)
{
    struct knobs_list *list = to;
    char text[512], preset[64];
    if (is_next_guide(list, guides)) fprintf(list->out, "\n%s:\n", guides);
    describe_knob(k, text, sizeof text);
    sonde_knob_preset(k, preset, sizeof preset);
    int n = fprintf(list->out, "  %s=%s", k->name, preset);
    fprintf(list->out, "%*s", n < HELP_COLUMN ? HELP_COLUMN - n : 1, "");
    put_wrapped(list->out, text, HELP_COLUMN);
}

void sonde_cli_help_knobs(FILE *out)
{
    fputs("Knobs of guides, with their defaults; set them with --guide-options NAME=VALUE,NAME=VALUE\n", out);
    sonde_knobs_each(put_knob, &(struct knobs_list){.out = out});
}

/* ---- roff ------------------------------------------------------------------------------------------------------*/

/* Prints a string so that roff takes nothing in it for a request or an escape. A leading dot or quote would be a
 * request. A bare hyphen would be typeset as a dash, and an option copied from the page would not work. */
static void put_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else fputc(*text, out);
    }
}

/* Prints an option. Its default and its environment variable are separate sentences, since roff joins lines. */
static void man_option(FILE *out, const struct sonde_option *option)
{
    char preset[64];
    fputs(".TP\n", out);
    if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put_roff(out, option->name);
    fputs("\\fR", out);
    bool may_lack = sonde_option_may_lack_value(option);
    if (option->metavar) {
        fputs(may_lack ? "[=\\fI" : " \\fI", out);
        put_roff(out, option->metavar);
        fputs(may_lack ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    put_roff(out, option->help);
    fputs(".\n", out);
    sonde_option_default(option, preset, sizeof preset);
    if (*preset) {
        fputs("Default: ", out);
        put_roff(out, preset);
        fputs(".\n", out);
    }
    char name[SONDE_OPTION_VARIABLE];
    if (!option->is_private) fprintf(out, "Environment: \\fB%s\\fR.\n", sonde_option_variable(option, name));
}

/* Prints a knob as put_knob does, in roff. */
static void man_knob(void *to, const char *guides, const struct sonde_knob *k)
{
    struct knobs_list *list = to;
    char text[512], preset[64];
    sonde_knob_preset(k, preset, sizeof preset);
    if (is_next_guide(list, guides)) fprintf(list->out, ".SS %s\n", guides);
    fprintf(list->out, ".TP\n.B %s=%s\n", k->name, preset);
    describe_knob(k, text, sizeof text);
    put_roff(list->out, text);
    fputs(".\n", list->out);
}

/* Prints only the sections that follow from the tables; packaging joins them with the hand-written ones. */
void sonde_cli_man(FILE *out)
{
    fputs(".SH OPTIONS OF A TEST PROGRAM\nA program made with\n.B SONDE_MAIN\ntakes these options.\n", out);
    const char *group = "";
    for (const struct sonde_option *o = sonde_option_table; o->name; o++) {
        if (strcmp(group, o->group) != 0) fprintf(out, ".SS %s\n", o->group);
        group = o->group;
        man_option(out, o);
    }
    fputs(".SH GUIDES\n", out);
    for (size_t i = 0; sonde_guides[i]; i++) {
        fprintf(out, ".TP\n.B %s\n", sonde_guides[i]->name);
        put_roff(out, sonde_guides[i]->summary);
        fputc('\n', out);
    }
    fputs(".SH KNOBS OF GUIDES\nFor \\fB\\-\\-guide\\-options\\fR, with their defaults.\n", out);
    sonde_knobs_each(man_knob, &(struct knobs_list){.out = out});
    fputs(
        ".SH ENVIRONMENT\nAn option that names an environment variable above can also be set by that variable. A flag "
        "is set by 1, yes, true or on. The command line overrides the environment, and both override the settings of "
        "a property.\n"
        ".B NO_COLOR\nturns colours off unless \\fB\\-\\-color\\fR asks for them.\n.SH EXIT STATUS\n",
        out);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        fprintf(out, ".TP\n.B %s\n%s.\n", statuses[i].status, statuses[i].meaning);
    }
}

/* See die.h. Each message is formatted in one buffer and written with one call, so messages of several workers do
 * not mix. */
#include "base/die.h"

#include "base/process.h"
#include "base/visible.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pointer is set while a process starts, before the code under test runs. Its function is called when the process
 * ends. */
void (*sonde_at_death)(void);
static void (*last_act)(void);
static void (*at_overwritten)(void);
static void (*message_receiver)(enum sonde_status status, const char *words);

void sonde_die_set_receiver(void (*receiver)(enum sonde_status status, const char *words))
{
    message_receiver = receiver;
}

void sonde_die_set_last_act(void (*act)(void))
{
    last_act = act;
}

void sonde_die_set_overwritten(void (*act)(void))
{
    at_overwritten = act;
}

void sonde_die_overwritten(void)
{
    if (at_overwritten) at_overwritten();
    sonde_die(SONDE_INTERNAL,
              "the code under test wrote over sonde's memory; find the stray write with a sanitizer, or in a debugger "
              "with --isolate=none");
}

SONDE_PRINTF(2, 0)
static void say(const char *prefix, const char *format, va_list args)
{
    char text[2048], line[4096];
    int n = snprintf(text, sizeof text, "%s", prefix);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    size_t length = sonde_visible(line, sizeof line, text); /* the NUL becomes the line end */
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written; /* there is nowhere left to report a failed write */
}

/* Returns what a message begins with: nothing if it names a command itself, as "sonde cc: ..." does. */
static const char *prefix_of(const char *format)
{
    static const char name[] = "sonde ";
    const char *command = !strncmp(format, name, sizeof name - 1) ? format + sizeof name - 1 : "";
    size_t n = strspn(command, "abcdefghijklmnopqrstuvwxyz");
    return n && command[n] == ':' ? "" : "sonde: ";
}

void sonde_die(enum sonde_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    /* A worker neither prints nor flushes: its stdio buffers are copies of the supervisor's and would be written
     * twice. */
    if (message_receiver) {
        char words[1024];
        vsnprintf(words, sizeof words, format, args);
        message_receiver(status, words);
        _exit((int)status);
    }
    say(prefix_of(format), format, args);
    va_end(args);
    if (last_act && status == SONDE_INTERNAL) last_act();
    /* Writes the program's buffered output, which _exit would drop. exit() would run the destructors of the code
     * under test. */
    fflush(NULL);
    sonde_process_exit((int)status);
}

void sonde_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("sonde: ", format, args);
    va_end(args);
}

void sonde_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void sonde_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("sonde: warning: ", format, args);
    va_end(args);
}

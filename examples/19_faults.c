/* 19: calls that fail. Disks fill up, writes are cut short, signals interrupt. Code for that rarely runs, so that is
 * where the bugs are. sonde_faults makes calls of the C library fail; which ones is drawn at each call, and shrinks.
 *
 * Look for: the note that says which call failed, how, and in which line. The code under test was not changed for it.
 *
 * Linked with the flags of `pkg-config --libs sonde-faults`, which replace read, write, open and related functions. */
#include <sonde.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The code under test: saves a string so that there is always a complete file, the old one or the new one. */

static bool write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(fd, text, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return false;
        text += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

/* Returns true if it is saved; false promises that the old file is still there. */
static bool save(const char *path, const char *text)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return false;
    bool is_written = write_all(fd, text, strlen(text));
    if (fsync(fd) != 0) is_written = false;
    close(fd);
    rename(temporary, path); /* the bug: allowed only if all was written, and may fail too */
    return is_written;
}

/* ---- The property. Its own calls come before or after the calls that may fail. */

static void remove_files(void *path)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.new", (char *)path);
    unlink(temporary);
    unlink(path);
}

static void a_file_is_old_or_new(sonde *t)
{
    char *path = sonde_alloc(t, 32), content[16] = "";
    strcpy(path, "/tmp/sonde-19-XXXXXX");
    int fd = mkstemp(path);
    sonde_defer(t, remove_files, path);
    sonde_check(t, write_all(fd, "old", 3));
    close(fd);

    const char *text = sonde_string(t, "text", 1, 8);
    sonde_faults(t, "io", SONDE_FAULT_ALL);
    bool is_saved = save(path, text);
    sonde_faults_end(t);

    fd = open(path, O_RDONLY);
    ssize_t n = read(fd, content, sizeof content - 1);
    close(fd);
    sonde_check(t, n >= 0);
    sonde_check_eq(t, content, is_saved ? text : "old");
}

SONDE_MAIN(a_file_is_old_or_new)

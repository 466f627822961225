/* See instrument.h. MemorySanitizer must see every write: each value from a library without it looks uninitialised. So
 * the library's source (one file, made by `make amalgamation`) is installed with the tool. It is compiled once for each
 * compiler, and the archive is stored in the user's cache directory. */
#include "instrument.h"

#include "base/die.h"
#include "base/hash.h"

#include <sonde.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Creates a directory and those above it. Returns false if the last one does not exist or cannot be written. */
static bool make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    return (mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

/* Writes the path of a cache directory that exists: by the XDG rules, else in the directory for temporary files. */
static void find_cache(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    if (cache && *cache == '/') snprintf(folder, size, "%s/sonde", cache);
    else if (home && *home == '/') snprintf(folder, size, "%s/.cache/sonde", home);
    else folder[0] = 0;
    if (folder[0] && make_folders(folder)) return;
    snprintf(folder, size, "%s/sonde-%u", temporary && *temporary ? temporary : "/tmp", (unsigned)getuid());
    if (!make_folders(folder))
        sonde_die(SONDE_USAGE, "sonde cc: cannot write to the cache directory %s; set XDG_CACHE_HOME to another",
                  folder);
}

/* Returns a hash of everything that the archive depends on: the version, the compiler, and the source's size and
 * time. */
static uint64_t key_of(const struct words *compiler, const char *source)
{
    struct stat info = {0};
    uint64_t hash = sonde_hash_text(0, SONDE_VERSION);
    for (uint32_t i = 0; i < compiler->n; i++) hash = sonde_hash_text(hash, compiler->all[i]);
    hash = sonde_hash_text(hash, source);
    if (stat(source, &info) == 0) {
        hash = sonde_hash_add(hash, (uint64_t)info.st_size);
        hash = sonde_hash_add(hash, (uint64_t)info.st_mtim.tv_sec);
        hash = sonde_hash_add(hash, (uint64_t)info.st_mtim.tv_nsec);
    }
    return sonde_mix(hash);
}

/* Runs a command, with its messages shown. Returns whether its status was 0. */
static bool run(const struct words *command)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execvp(command->all[0], command->all);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Makes the archive. Writes to names with the process id first, and renames at the end: two builds at once do not
 * disturb each other. */
static void compile(const struct words *compiler, const char *source, const char *include, const char *library)
{
    char object[PATH_MAX + 32], archive[PATH_MAX + 32];
    struct words command = {0}, pack = {0};
    snprintf(object, sizeof object, "%s.%d.o", library, (int)getpid());
    snprintf(archive, sizeof archive, "%s.%d", library, (int)getpid());
    sonde_complain("sonde cc: compiling the library with MemorySanitizer, once: %s", library);
    words_add_all(&command, (const char *const *)compiler->all);
    words_add_all(&command, (const char *const[]){"-std=gnu11",
                                                  "-O1",
                                                  "-g",
                                                  "-w",
                                                  "-fPIC",
                                                  "-fexceptions",
                                                  "-pthread",
                                                  "-ffp-contract=off",
                                                  "-fsanitize=memory",
                                                  "-fno-omit-frame-pointer",
                                                  "-fvisibility=hidden",
                                                  "-I",
                                                  include,
                                                  "-x",
                                                  "c",
                                                  "-c",
                                                  source,
                                                  "-o",
                                                  object,
                                                  NULL});
    words_add_all(&pack, (const char *const[]){"ar", "rcs", archive, object, NULL});
    bool made = run(&command) && run(&pack) && rename(archive, library) == 0;
    unlink(object);
    if (!made)
        sonde_die(SONDE_USAGE, "sonde cc: cannot compile the library with MemorySanitizer; see the messages above, or "
                               "build without --sanitize=memory");
}

void instrumented_library(const struct words *compiler, const char *source, const char *include, char *library)
{
    if (access(source, R_OK) != 0)
        sonde_die(SONDE_USAGE, "sonde cc: --sanitize=memory needs the library's source, %s; install sonde again",
                  source);
    char folder[PATH_MAX - 64];
    find_cache(folder, sizeof folder);
    snprintf(library, PATH_MAX, "%s/libsonde-msan-%016" PRIx64 ".a", folder, key_of(compiler, source));
    if (access(library, R_OK) != 0) compile(compiler, source, include, library);
}

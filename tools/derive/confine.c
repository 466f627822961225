/* Runs a program so that it can do little harm: see confine_main in trial.h. The limits are inherited, so they hold for
 * everything that the program starts. Landlock (Linux 5.13) restricts writing to one directory; where the kernel lacks
 * it the other limits hold alone. */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined SYS_landlock_create_ruleset
#include <linux/landlock.h>

/* All rights to change files in the first version of Landlock. */
#define WRITING                                                                                                        \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE                    \
     | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG                        \
     | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK                     \
     | LANDLOCK_ACCESS_FS_MAKE_SYM)

static void allow(int rules, const char *path, uint64_t what)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = what, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (beneath.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
}

/* Restricts writing to one directory, and to what sonde's workers need. */
static void restrict_writing(const char *folder)
{
    struct landlock_ruleset_attr attributes = {.handled_access_fs = WRITING};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) return;
    allow(rules, folder, WRITING);
    allow(rules, "/dev/shm", WRITING);
    allow(rules, "/proc/self", LANDLOCK_ACCESS_FS_WRITE_FILE);
    allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}
#else
static void restrict_writing(const char *folder)
{
    (void)folder;
}
#endif

static void limit(unsigned what, rlim_t to)
{
    struct rlimit old;
    if (getrlimit(what, &old) != 0) return;
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < to) to = old.rlim_max;
    setrlimit(what, &(struct rlimit){to, to});
}

int confine_main(int argc, char **argv)
{
    enum { FIRST = 4, PROCESSOR_SECONDS = 300 };
    if (argc <= FIRST || chdir(argv[1]) != 0) return SONDE_INTERNAL;
    limit(RLIMIT_CORE, 0);
    if (!strcmp(argv[2], "1")) {
        limit(RLIMIT_CPU, PROCESSOR_SECONDS);
        setenv("TMPDIR", argv[3], 1);
        unsetenv("SONDE_PROFILE");
        restrict_writing(argv[3]);
    }
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execv(argv[FIRST], argv + FIRST);
    dprintf(STDERR_FILENO, "error: cannot run %s: %s\n", argv[FIRST], strerror(errno));
    return SONDE_INTERNAL;
}

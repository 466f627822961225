/* Runs a program so that it can do little harm: see confine_main in trial.h. The limits are inherited, so they hold for
 * everything that the program starts.
 *
 * Landlock restricts where files are written. Newer versions of it also restrict truncation and signals. It has nothing
 * for permissions, owners and times of files, so a seccomp filter refuses these calls everywhere. If a kernel lacks
 * one of them, the others hold alone. All this is against accidents, not against malice. */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Where files are written */

#if __has_include(<linux/landlock.h>) && defined SYS_landlock_create_ruleset
#include <linux/landlock.h>

/* All rights to change files in the first version of Landlock. */
#define WRITING                                                                                                        \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE                    \
     | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG                        \
     | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK                     \
     | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* Additions of later versions; the headers of an older system lack the names. */
enum { TRUNCATION_VERSION = 3, SCOPE_VERSION = 6 };
#define TRUNCATE (UINT64_C(1) << 14)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

/* struct landlock_ruleset_attr of version 6. Older kernels take it if the members that they lack are 0. */
struct ruleset {
    uint64_t files, network, scoped;
};

static void allow(int rules, const char *path, uint64_t what)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = what, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (beneath.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
}

/* Restricts writing to one directory, and signals to processes that the program starts. */
static void restrict_writing(const char *folder)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint64_t truncation = version >= TRUNCATION_VERSION ? TRUNCATE : 0;
    struct ruleset set = {.files = WRITING | truncation, .scoped = version >= SCOPE_VERSION ? SCOPE_SIGNAL : 0};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &set, sizeof set, 0);
    if (rules < 0) return;
    allow(rules, folder, WRITING | truncation);
    allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE | truncation);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}
#else
static void restrict_writing(const char *folder)
{
    (void)folder;
}
#endif

/* ---- Calls that are refused */

#if __has_include(<linux/seccomp.h>) && __has_include(<linux/audit.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined __s390x__
#define MACHINE AUDIT_ARCH_S390X
#endif
#endif

#ifdef MACHINE
/* Some machines lack the older of these calls. */
static const int refused[] = {
#ifdef SYS_chmod
    SYS_chmod,     SYS_chown,     SYS_lchown, SYS_utime,       SYS_utimes,       SYS_futimesat,
#endif
    SYS_fchmod,    SYS_fchmodat,  SYS_fchown, SYS_fchownat,    SYS_truncate,     SYS_utimensat,    SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_reboot, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
};

/* Has the kernel refuse these calls, and signals to all processes (kill of -1). */
static void refuse_calls(void)
{
    enum { CALLS = sizeof refused / sizeof *refused, AROUND = 9 };
    const uint32_t first_argument =
        offsetof(struct seccomp_data, args) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint32_t) : 0);
    struct sock_filter filter[CALLS + AROUND];
    unsigned short n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < CALLS; i++) /* jumps to the last instruction */
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i],
                                                   (uint8_t)(CALLS - i - 1 + 4), 0);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 2);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first_argument);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){.len = n, .filter = filter});
}
#else
static void refuse_calls(void) {}
#endif

/* ---- Running */

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
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        restrict_writing(argv[3]);
        refuse_calls();
    }
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execv(argv[FIRST], argv + FIRST);
    dprintf(STDERR_FILENO, "error: cannot run %s: %s\n", argv[FIRST], strerror(errno));
    return SONDE_INTERNAL;
}

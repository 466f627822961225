/* The main program of sonde-share: a table of its commands. Only the library calls `agent`. It passes the wire to the
 * run (share/wire.h) as descriptor 3, and the arguments PLACE PROGRAM PROPERTY WORKER; src/share/link.c is the other
 * side. */
#include "share.h"

#include "base/strings.h"
#include "program/sanitizer.h"
#include "report/write.h"
#include "share/link.h"

#include <signal.h>
#include <sonde.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static const char usage[] =
    "Usage: sonde share COMMAND PLACE [argument]...\n"
    "\n"
    "  status [--json] PLACE                 workers, speed, tapes and failures of each property\n"
    "  watch PLACE                           the same every two seconds, until Ctrl-C\n"
    "  export [--bytes] PLACE OUT [PROPERTY] copy the tapes of PROPERTY to the directory OUT, or of each property to a\n"
    "                                        directory in OUT. --bytes: in the format that targets of sonde_fuzz.h\n"
    "                                        read, for libFuzzer and afl-fuzz -F\n"
    "  import PLACE PROGRAM PROPERTY IN...   add the tapes of the directories IN\n"
    "  prune [--dry-run] PLACE               remove tapes that cover nothing that other tapes do not cover\n"
    "\n"
    "PLACE is the argument of --share of a test program: dir:PATH, redis://[USER@]HOST[:PORT][/DATABASE] or\n"
    "redis+unix:SOCKET. The password is read from SONDE_SHARE_PASSWORD, or from the file that\n"
    "SONDE_SHARE_PASSWORD_FILE names.\n";

const struct sonde_place_ops *sonde_share_ops(const char *name)
{
    return sonde_starts(name, SONDE_FOLDER_PREFIX) ? &sonde_folder_ops : &sonde_redis_ops;
}

/* Limits memory to 1 GiB, since a hostile server could make the client library allocate any amount. A sanitizer's
 * shadow memory needs more address space than that. Disables core files, since they could contain a password. */
static void be_careful(void)
{
    const struct rlimit most = {.rlim_cur = (rlim_t)1 << 30, .rlim_max = (rlim_t)1 << 30};
    if (!sonde_tools_has_address()) setrlimit(RLIMIT_AS, &most);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
}

/* Runs an agent until its run ends (share/agent.c). */
static int run_agent(int argc, char **argv)
{
    enum { WIRE = 3 }; /* COMPANION_FD of src/share/link.c */
    if (argc != 5) {
        fputs("sonde-share agent: it is started by test programs that are given --share\n", stderr);
        return SONDE_USAGE;
    }
    struct sonde_place_setup setup = {.name = argv[1], .program = argv[2], .property = argv[3], .worker = argv[4]};
    be_careful();
    return sonde_agent_run(sonde_share_ops(argv[1]), &setup, WIRE);
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"status", sonde_share_status}, {"watch", sonde_share_watch}, {"export", sonde_share_export},
                {"import", sonde_share_import}, {"prune", sonde_share_prune}, {"agent", run_agent}};

int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? SONDE_USAGE : SONDE_PASSED;
    }
    signal(SIGPIPE, SIG_IGN); /* a closed connection must be an error of write, not a signal */
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc - 1, argv + 1);
    fputs("sonde share: there is no command '", stderr);
    sonde_write_line(stderr, argv[1]);
    fputs("'; sonde share --help lists them\n", stderr);
    return SONDE_USAGE;
}

/* A file of SIZE bytes is replaced by another: written under another name, made safe, renamed. Whenever the power fails, the old one or the new one is there, whole. */
#include <sonde.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t size;
static char folder[64];

static bool put(const char *name, int byte)
{
    char *bytes = malloc(size);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    memset(bytes, byte, size);
    bool is_good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size && fsync(fd) == 0;
    close(fd), free(bytes);
    return is_good;
}

static void replace(void *unused)
{
    if (put("data.tmp", 'n') && rename("data.tmp", "data")) abort();
    (void)unused;
}

static bool is_all(const char *name, int byte)
{
    char *bytes = malloc(size + 1);
    int fd = open(name, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, size + 1);
    bool is = n == (ssize_t)size;
    for (size_t i = 0; is && i < size; i++) is = bytes[i] == byte;
    close(fd), free(bytes);
    return is;
}

static void old_or_new(sonde *t)
{
    sonde_check(t, put("data", 'o'));
    sonde_power_cut(t, "cut", replace, NULL);
    sonde_check(t, is_all("data", 'o') || is_all("data", 'n'));
    unlink("data.tmp");
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "old_or_new", .run = old_or_new, .tests = 40};
    size = getenv("SIZE") ? strtoul(getenv("SIZE"), NULL, 10) : 1000;
    snprintf(folder, sizeof folder, "%s/sonde-large-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder) || chdir(folder)) return 9;
    int status = sonde_main(argc, argv, &all, 1);
    unlink("data"), unlink("data.tmp"), rmdir(folder);
    return status;
}

/* A file that is saved whole: written under another name, made safe, renamed, its directory made safe. Each variant
 * leaves one step out. */
#include <sonde.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum variant { CORRECT, NO_FSYNC, NO_FSYNC_OF_FOLDER, IN_PLACE, STREAM, STREAM_CORRECT };
static enum variant variant;

struct saved {
    char folder[32], path[48], new_path[48];
    const char *text;
    bool is_done; /* save has returned */
};

static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    if (fsync(fd)) abort();
    close(fd);
}

static void save_stream(struct saved *s)
{
    FILE *file = fopen(s->new_path, "w");
    fputs(s->text, file);
    fflush(file);
    if (variant == STREAM_CORRECT && fsync(fileno(file))) abort();
    fclose(file);
}

static void save(void *what)
{
    struct saved *s = what;
    size_t n = strlen(s->text);
    if (variant == STREAM || variant == STREAM_CORRECT) {
        save_stream(s);
    } else {
        int fd = open(variant == IN_PLACE ? s->path : s->new_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (write(fd, s->text, n / 2) != (ssize_t)(n / 2)
            || write(fd, s->text + n / 2, n - n / 2) != (ssize_t)(n - n / 2))
            abort();
        if (variant != NO_FSYNC && fsync(fd)) abort();
        close(fd);
    }
    if (variant != IN_PLACE && rename(s->new_path, s->path)) abort();
    if (variant != NO_FSYNC_OF_FOLDER) sync_folder(s->folder);
    s->is_done = true;
}

static void remove_all(void *what)
{
    struct saved *s = what;
    unlink(s->new_path), unlink(s->path), rmdir(s->folder);
}

static void a_file_is_old_or_new(sonde *t)
{
    struct saved *s = sonde_new(t, struct saved);
    char content[4096] = "";
    snprintf(s->folder, sizeof s->folder, "%s/sonde-power-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    sonde_check(t, mkdtemp(s->folder) != NULL);
    snprintf(s->path, sizeof s->path, "%s/file", s->folder);
    snprintf(s->new_path, sizeof s->new_path, "%s/file.new", s->folder);
    sonde_defer(t, remove_all, s);
    int fd = open(s->path, O_WRONLY | O_CREAT, 0600);
    sonde_check(t, write(fd, "old", 3) == 3);
    close(fd);

    size_t n = sonde_size_t(t, "size", 1, 2000);
    char *text = sonde_alloc(t, n + 1);
    memset(text, 'x', n);
    s->text = text;
    sonde_classify(t, sonde_power_cut(t, "power_fails", save, s), "the power failed");
    sonde_classify(t, s->is_done, "saved");

    fd = open(s->path, O_RDONLY);
    ssize_t got = read(fd, content, sizeof content - 1);
    close(fd);
    sonde_check(t, got >= 0);
    bool is_new = !strcmp(content, text), is_old = !strcmp(content, "old");
    sonde_check(t, is_new || (is_old && !s->is_done));
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "a_file_is_old_or_new", .run = a_file_is_old_or_new};
    variant = getenv("VARIANT") ? (enum variant)atoi(getenv("VARIANT")) : CORRECT;
    return sonde_main(argc, argv, &all, 1);
}

#define _GNU_SOURCE /* O_PATH */
/* Files, directories and links that run() has touched (model.h).
 *
 * A node keeps a descriptor until the cut. So a file that loses its last name keeps its bytes, and no other file gets
 * its inode number meanwhile. Closing any descriptor of a file releases all POSIX locks of the process on it. Therefore
 * sonde closes none of its descriptors before the cut.
 *
 * A descriptor that only names the file (O_PATH) does not release locks, and is opened first. One for reading and
 * writing is opened when the code opens the file for writing, before it can lock the file. */
#include "base/hash.h"
#include "base/mem.h"
#include "case/disk/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Descriptors of sonde have at least this number: it is above the descriptors of most programs and below the usual
 * limit. */
enum { OUR_DESCRIPTORS = 400 };

/* Duplicates a descriptor to a high number. Raises the soft limit if necessary: the model needs one descriptor per
 * file. */
static int move_beyond(int low)
{
    struct rlimit limit;
    int own = fcntl(low, F_DUPFD_CLOEXEC, OUR_DESCRIPTORS);
    if (own >= 0 || getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max) return own;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) ? -1 : fcntl(low, F_DUPFD_CLOEXEC, OUR_DESCRIPTORS);
}

int sonde_disk_move_up(int low)
{
    int own = low < 0 ? -1 : move_beyond(low);
    if (low >= 0) close(low);
    return own;
}

static uint64_t key_of(dev_t device, ino_t inode)
{
    return sonde_hash_add(sonde_mix((uint64_t)device), (uint64_t)inode);
}

static struct disk_node *find(const struct disk *disk, dev_t device, ino_t inode)
{
    uint32_t at = sonde_map_get(&disk->by_inode, key_of(device, inode));
    struct disk_node *node = at ? disk->nodes[at - 1] : NULL;
    return node && node->inode == inode && node->device == device ? node : NULL;
}

struct disk_node *sonde_disk_known(const struct disk *disk, const struct stat *info)
{
    return find(disk, info->st_dev, info->st_ino);
}

static char *read_target(int fd)
{
    char path[4096];
    ssize_t n = readlinkat(fd, "", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return sonde_own_strdup(path);
}

/* Adds a node, which owns the descriptor from now on. */
static struct disk_node *add(struct disk *disk, int fd, const struct stat *info, const char *name)
{
    const char *slash = strrchr(name, '/');
    struct disk_node *node = sonde_own_calloc(1, sizeof *node);
    *node = (struct disk_node){.device = info->st_dev, .inode = info->st_ino, .mode = info->st_mode, .fd = fd};
    node->name = sonde_own_strdup(slash && slash[1] ? slash + 1 : name);
    if (S_ISLNK(info->st_mode)) node->target = read_target(fd);
    disk->nodes = sonde_own_grow(disk->nodes, &disk->cap_nodes, disk->n_nodes + 1, sizeof *disk->nodes);
    disk->nodes[disk->n_nodes++] = node;
    *sonde_map_at(&disk->by_inode, key_of(node->device, node->inode)) = disk->n_nodes;
    return node;
}

char *sonde_disk_link(int fd, char out[DISK_LINK])
{
    snprintf(out, DISK_LINK, "/proc/self/fd/%d", fd);
    return out;
}

char *sonde_disk_path(int fd, char out[DISK_PATH])
{
    char link[DISK_LINK];
    ssize_t n = readlink(sonde_disk_link(fd, link), out, DISK_PATH - 1);
    out[n > 0 ? n : 0] = '\0';
    return out;
}

/* Opens a second descriptor of the same file. dup() would share position and flags. */
static int open_again(int fd, int flags)
{
    char link[DISK_LINK];
    return open(sonde_disk_link(fd, link), flags | O_CLOEXEC);
}

struct disk_node *sonde_disk_node(struct disk *disk, int fd)
{
    struct stat info;
    char path[4096];
    if (fd < 0 || fstat(fd, &info)) return NULL;
    struct disk_node *node = sonde_disk_known(disk, &info);
    bool is_file = S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
    if (node || !is_file || (S_ISREG(info.st_mode) && info.st_nlink == 0)) return node;
    int own = sonde_disk_move_up(open_again(fd, O_PATH));
    sonde_disk_path(fd, path);
    if (own >= 0) return add(disk, own, &info, path);
    sonde_disk_tell(disk, "%s: no descriptor is left for it", path);
    return NULL;
}

struct disk_node *sonde_disk_node_at(struct disk *disk, int at, const char *path, bool follows)
{
    struct stat info;
    if (fstatat(at, path, &info, follows ? 0 : AT_SYMLINK_NOFOLLOW)) return NULL;
    struct disk_node *node = sonde_disk_known(disk, &info);
    if (node) return node;
    int own = sonde_disk_move_up(openat(at, path, O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)));
    if (own >= 0 && fstat(own, &info) == 0) return add(disk, own, &info, path);
    sonde_disk_tell(disk, "%s: no descriptor is left for it", path);
    return NULL;
}

/* Duplicates the code's descriptor if it is open for reading and writing; else returns -1. Also refuses O_APPEND, with
 * which pwrite ignores its offset, and O_DIRECT. The alternative is to open the file again. That
 * descriptor has a low number, so it is moved and then closed, which releases the locks of the code. */
static int copy_of(int like)
{
    int flags = like < 0 ? -1 : fcntl(like, F_GETFL);
    bool will_do = flags >= 0 && (flags & O_ACCMODE) == O_RDWR && !(flags & (O_APPEND | O_DIRECT));
    return will_do ? move_beyond(like) : -1;
}

bool sonde_disk_node_open(struct disk *disk, struct disk_node *node, int like)
{
    if (node->is_io) return true;
    if (node->is_ignored || !S_ISREG(node->mode)) return false;
    int own = copy_of(like);
    if (own < 0) own = sonde_disk_move_up(open_again(node->fd, O_RDWR));
    if (own < 0) {
        node->is_ignored = true;
        sonde_disk_tell(disk, "%s: it cannot be opened for reading and writing", node->name);
        return false;
    }
    close(node->fd); /* O_PATH only names the file, so closing it releases no lock */
    node->fd = own;
    node->is_io = true;
    return true;
}

void sonde_disk_node_becomes(struct disk_node *node, int fd)
{
    close(node->fd);
    node->fd = fd;
    node->is_io = false;
}

void sonde_disk_nodes_free(struct disk *disk)
{
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        struct disk_node *node = disk->nodes[i];
        sonde_disk_contents_free(disk, node);
        close(node->fd);
        sonde_free(node->name);
        sonde_free(node->target);
        sonde_free(node);
    }
    sonde_free(disk->nodes);
    sonde_map_clear(&disk->by_inode);
}

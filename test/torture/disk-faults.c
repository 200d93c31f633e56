/*
 * Preloaded into a server, makes chosen writes or syncs of its database fail with EIO.
 *
 * DISK_FAULTS names a file of four 32-bit numbers that the test writes and this library counts down:
 *   which   0: none, 1: writes, 2: syncs
 *   skip    so many of them pass first
 *   fail    so many of them fail then
 *   failed  how many have failed so far
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct faults {
  _Atomic int which, skip, fail, failed;
};

static struct faults *faults;

__attribute__((constructor)) static void map_faults(void) {
  const char *path = getenv("DISK_FAULTS");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *page = mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) faults = page;
  close(fd);
}

static int is_store(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name && (!strcmp(name, "/store.db") || !strcmp(name, "/store.db-wal"));
}

static int fails(int which, int fd) {
  if (!faults || atomic_load(&faults->which) != which || !is_store(fd)) return 0;
  if (atomic_fetch_sub(&faults->skip, 1) > 0) return 0;
  if (atomic_fetch_sub(&faults->fail, 1) <= 0) {
    atomic_store(&faults->which, 0);
    return 0;
  }
  atomic_fetch_add(&faults->failed, 1);
  errno = EIO;
  return 1;
}

#define PASS_ON(type, name, which, params, ...)                      \
  type name params {                                                 \
    static type(*next) params;                                       \
    if (!next) next = (type(*) params)dlsym(RTLD_NEXT, #name);       \
    return fails(which, fd) ? (type)-1 : next(__VA_ARGS__);          \
  }

PASS_ON(ssize_t, write, 1, (int fd, const void *from, size_t size), fd, from, size)
PASS_ON(ssize_t, pwrite, 1, (int fd, const void *from, size_t size, off_t at), fd, from, size, at)
PASS_ON(ssize_t, pwrite64, 1, (int fd, const void *from, size_t size, off64_t at), fd, from, size, at)
PASS_ON(int, fsync, 2, (int fd), fd)
PASS_ON(int, fdatasync, 2, (int fd), fd)

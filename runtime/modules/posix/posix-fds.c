/* The table of descriptors: the file or stream that each descriptor refers to (posix-fds.h). */
#include "posix-fds.h"

#include "../../intercept/memory.h"
#include "../../names/descriptors.h"
#include "posix.h"

struct fds_state fds_state;

/* Raises fds_state.highest to fd. */
static void note_highest(int fd) {
  uint32_t highest = __atomic_load_n(&fds_state.highest, __ATOMIC_RELAXED);
  while ((uint32_t)fd > highest &&
         !__atomic_compare_exchange_n(&fds_state.highest, &highest, (uint32_t)fd, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* Descriptors from RUNTIME_FDS on have entries in a second table, which is allocated in pages.
 * FAR_PAGE: number of entries in a page. FAR_PAGES: number of pages. */
enum { FAR_PAGE = 256, FAR_PAGES = RUNTIME_FDS_FAR / FAR_PAGE };

struct fd_entry *fd_entry_far(int fd) {
  struct fd_entry **pages = __atomic_load_n(&fds_state.far, __ATOMIC_ACQUIRE);
  if (!fd_can_follow(fd) || !pages) return NULL;
  struct fd_entry *page = __atomic_load_n(&pages[fd / FAR_PAGE], __ATOMIC_ACQUIRE);
  return page ? &page[fd % FAR_PAGE] : NULL;
}

/* Returns the pointer stored at `place`. If it is NULL, first allocates `size` zeroed bytes, which
 * stay until the process ends, and stores their address there. Threads may call it at the same
 * time. Returns NULL if out of memory. */
static void *have(void *place, size_t size) {
  void **slot = place, *none = NULL, *there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (there) return there;
  void *memory = private_memory(size);
  if (!memory) return NULL;
  if (__atomic_compare_exchange_n(slot, &none, memory, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return memory;
  sys_munmap(memory, size);
  return none;
}

/* Returns the entry of a descriptor, and allocates its page if necessary; NULL if the descriptor
 * cannot be followed or if out of memory. */
static struct fd_entry *make_entry(int fd) {
  if (!fd_can_follow(fd)) return NULL;
  if (fd < RUNTIME_FDS) return &darshan_hot.fds[fd];
  struct fd_entry **pages = have(&fds_state.far, FAR_PAGES * sizeof(*pages));
  struct fd_entry *page =
      pages ? have(&pages[fd / FAR_PAGE], FAR_PAGE * sizeof(struct fd_entry)) : NULL;
  return page ? &page[fd % FAR_PAGE] : NULL;
}

int fd_next(int fd) {
  uint32_t highest = __atomic_load_n(&fds_state.highest, __ATOMIC_RELAXED);
  while ((uint32_t)++fd <= highest && fd < RUNTIME_FDS_FAR) {
    if (fd_entry(fd)) return fd;
    fd |= FAR_PAGE - 1;
  }
  return -1;
}

void fd_set_file(int fd, uint32_t file) {
  struct fd_entry *entry = file ? make_entry(fd) : fd_entry(fd);
  if (!entry) return;
  if (file)
    note_highest(fd); /* set before the entry: a handler that forks reads only up to `highest` */
  __atomic_store_n(&entry->file, file ? posix_file_at(file) : NULL, __ATOMIC_RELAXED);
  if (file && UNLIKELY(entry->stream)) stdio_descriptor_changed(fd);
}

int fd_found_file(int fd, struct posix_file *file) {
  struct fd_entry *entry = fd_entry(fd);
  struct posix_file *nothing = NULL;
  if (!entry || !__atomic_compare_exchange_n(&entry->file, &nothing, file, 0, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED))
    return 0;
  __atomic_add_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  if (entry->stream) stdio_descriptor_changed(fd);
  return 1;
}

int fd_looked_at(int fd, struct posix_file *what) {
  struct fd_entry *entry = make_entry(fd);
  struct posix_file *nothing = NULL;
  if (!entry) return 0;
  note_highest(fd);
  if (!__atomic_compare_exchange_n(&entry->file, &nothing, what, 0, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    return 0;
  if (fd_followed(what)) __atomic_add_fetch(&what->descriptors, 1, __ATOMIC_RELAXED);
  return 1;
}

void fd_set_stream(int fd, struct stdio_stream *stream) {
  struct fd_entry *entry = stream ? make_entry(fd) : fd_entry(fd);
  if (!entry) return;
  if (stream) note_highest(fd);
  __atomic_store_n(&entry->stream, stream, __ATOMIC_RELEASE);
}

struct posix_file *fd_release_slow(int fd) {
  if (!fd_may_change()) return NULL;
  struct fd_entry *entry = fd_entry(fd);
  fd_folder_forget(fd);
  if (entry->stream == FD_FOLDER)
    fd_set_stream(fd, NULL);
  else
    stdio_number_closed(entry->stream);
  struct posix_file *file = __atomic_exchange_n(&entry->file, NULL, __ATOMIC_RELAXED);
  if (file == FD_OTHER) ring_closed(fd);
  file = fd_followed(file);
  if (file) __atomic_sub_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  return file;
}

void fd_dropped_slow(int fd) {
  if (!fd_may_change()) return;
  struct posix_file *file = fd_release_slow(fd);
  if (file) posix_file_unused(file);
  if (fd_entry(fd)->stream) stdio_descriptor_changed(fd);
}

void fd_is_other(int fd) {
  /* A descriptor from RUNTIME_FDS on that has no entry gets none; it is classified when it is
   * used. */
  fd_dropped(fd);
  if (fd_entry(fd) && fd_may_change()) fd_looked_at(fd, FD_OTHER);
}

void fd_excluded(int fd) {
  fd_dropped(fd);
  if (fd_entry(fd) && fd_may_change()) fd_looked_at(fd, FD_EXCLUDED);
}

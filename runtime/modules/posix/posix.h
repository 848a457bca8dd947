/* The POSIX module: how each call changes the records. Event functions, called after the real call,
 * receive its result and the ticks before and after it; they preserve errno. */
#ifndef DARSHAN_POSIX_H
#define DARSHAN_POSIX_H

#include <aio.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "../../door/door.h"
#include "../../intercept/spin.h"
#include "../../names/folder.h"
#include "../../names/path-buffers.h"
#include "posix-fds.h"
#include "posix-state.h"

#define POSIX_HERE INT64_MIN /* value of a transfer's offset: at the tracked position */

/* Functions of files.c, which find the file and record of a name. */

struct posix_name {
  const char *text;
  uint32_t length; /* 0: a file without a name, which uses the overflow record */
  uint64_t id;
  struct path_buffer *buffer; /* holds the text; NULL: the caller owns the text */
  uint32_t file;   /* number of the file, if it was known when the name was made; 0: unknown */
  uint32_t is_new; /* 1: the store had no entry of this name when the name was made */
  struct name_folder folder; /* hash 0: not computed yet (posix_folder_of) */
  uint64_t key; /* key of the path (known-paths.h); 0: the path is not looked up there */
};
static inline struct posix_name posix_named(const char *text, uint32_t length, uint64_t id) {
  return (struct posix_name){.text = text, .length = length, .id = id};
}
static inline struct name_folder posix_folder_of(const struct posix_name *name) {
  return name->folder.hash ? name->folder : name_folder(name->text, name->length);
}
int posix_prepare(void);
static inline struct posix_aux *posix_aux_of(uint32_t record) {
  return segments_at(&posix_state.aux, record);
}
/* Initializes the posix_aux of the new record with this number, except its lock, before the record
 * is marked as ready. */
void posix_aux_prepare(uint32_t number);
/* Makes the name of a file: its absolute path and its id, from dirfd and path as in openat. module:
 * the module whose exclusions apply. Returns 1; name->length is then 0 if the absolute path is
 * unknown or too long for a log. Returns 0 if the module is off or excludes the name. After a
 * result of 1 the caller must call posix_name_done when it no longer needs the text. */
int posix_name_of(struct posix_name *name, int module, int dirfd, const char *path);
/* Like posix_name_of, for a path that was opened as fd. The path may not be the file's name,
 * because it is the path of a descriptor (/dev/stdin) or relative to a folder without a name. The
 * name is then read from fd. */
int posix_name_opened(struct posix_name *name, int module, int dirfd, const char *path, int fd);
static inline void posix_name_done(struct posix_name *name) {
  path_buffer_give(name->buffer);
}
/* Return FILE_ALIGNMENT of a file: the block size of its file system in bytes (4096 if unknown),
 * which is determined once per folder, plus ON_LUSTRE if Lustre can report the striping. fd: a
 * descriptor of the file; -1: the name is used. May send a request to a file server, so the caller
 * holds no lock. */
enum { ON_LUSTRE = 1 };
uint32_t posix_file_system(const char *name, uint32_t length, int fd);
uint32_t posix_file_system_of(const struct posix_name *name, int fd);
/* Returns the number of the file of this name (posix_file_at). Makes its state and its record if
 * necessary; beyond the limit of records the file shares a record. Returns 0 if there is no space.
 * fd: a descriptor of the file, or -1. The caller has entered the runtime. */
uint32_t posix_file_get(const struct posix_name *name, int fd);
/* Like posix_file_get, for a file that this process did not open: sends no request to a file
 * server. block: the file system's preferred transfer size in bytes, the alignment if the folder's
 * is not known; 0: unknown. */
uint32_t posix_file_unasked(const struct posix_name *name, uint32_t block);
/* Like posix_file_get, but enters and leaves the runtime itself, and also returns 0 if the runtime
 * cannot be entered: the event is then not counted. posix_file_enter calls it only if name->file is
 * not set. */
uint32_t posix_file_enter_slow(const struct posix_name *name, int fd);
static inline uint32_t posix_file_enter(const struct posix_name *name, int fd) {
  return LIKELY(name->file != 0) ? name->file : posix_file_enter_slow(name, fd);
}
/* Returns the number of the file of this name, or 0 if this process has not recorded the file. The
 * caller has entered the runtime. */
uint32_t posix_file_find(const struct posix_name *name);
/* Releases the state of a file without a record of its own, if the file has no open descriptor.
 * Otherwise does nothing. The caller holds no lock of the file or store. */
void posix_file_unused_slow(struct posix_file *file);
static inline void posix_file_unused(struct posix_file *file) {
  if (UNLIKELY(file->overflow)) posix_file_unused_slow(file);
}
int posix_materialise(struct posix_file *file);
void posix_forked(void);
void posix_ended(void);
/* Returns the number of names that share the overflow record, for the log's metadata. */
uint64_t posix_files_in_overflow(void);

/* Enters the runtime and locks a file's record, which an inherited file gets first, for an update.
 * Returns 1; the caller then calls posix_unlock or a function of account.h. Returns 0, without the
 * lock, if the event must not be counted. */
static inline ALWAYS_INLINE int posix_lock(struct posix_file *file) {
  if (UNLIKELY(!runtime_enter())) return 0;
  if (UNLIKELY(!file->record) && !posix_materialise(file)) {
    runtime_leave();
    return 0;
  }
  if (LIKELY(spin_lock(SPIN_RECORD, &file->aux->lock))) return 1;
  runtime_leave();
  return 0;
}
static inline void posix_unlock(struct posix_file *file) {
  spin_unlock(&file->aux->lock);
  runtime_leave();
}

/* Count a read or write of `bytes` bytes at an offset; POSIX_HERE: at the current position. Do
 * nothing if `bytes` is negative, because the call failed. memory: the application's buffer, whose
 * address is checked for alignment; it is not read. t1, t2: begin and end in ticks (transfer.c). */
void posix_read_done(struct posix_file *file, int64_t bytes, int64_t offset, const void *memory,
                     uint64_t t1, uint64_t t2);
void posix_write_done(struct posix_file *file, int64_t bytes, int64_t offset, const void *memory,
                      uint64_t t1, uint64_t t2);
static inline void posix_transferred(struct posix_file *file, enum posix_operation operation,
                                     int64_t bytes, int64_t offset, const void *memory, uint64_t t1,
                                     uint64_t t2) {
  if (operation == POSIX_READ)
    posix_read_done(file, bytes, offset, memory, t1, t2);
  else
    posix_write_done(file, bytes, offset, memory, t1, t2);
}
void posix_vector(struct posix_file *file, enum posix_operation operation, int64_t bytes,
                  int64_t offset, const struct iovec *iov, int n, uint64_t t1, uint64_t t2);
void posix_copied(struct posix_file *in, struct posix_file *out, int64_t bytes, int64_t in_offset,
                  int64_t out_offset, int counter, uint64_t t1, uint64_t t2);
/* Returns the offset at which a pwritev2 with these arguments wrote `bytes` bytes (negative: it
 * failed); POSIX_HERE: at the file's position, or unknown. */
int64_t posix_write_place(int fd, int64_t offset, int flags, int64_t bytes);
/* Returns the offset at which a transfer began, for a call that advances *offset; POSIX_HERE if
 * offset is NULL or the call failed. Reads *offset, which is memory of the application, only after
 * a successful call, because the kernel has then checked the pointer. */
static inline int64_t posix_place(const int64_t *offset, int64_t bytes) {
  return offset && bytes >= 0 ? *offset - bytes : POSIX_HERE;
}
/* posix_next_place returns the offset of the next write to fd; a negative value if fd has no
 * position, as a pipe. posix_grew counts the bytes from `start` to the current offset as written;
 * nothing if `start` is negative. */
int64_t posix_next_place(int fd);
void posix_grew(struct posix_file *file, int fd, int64_t start, uint64_t t1, uint64_t t2);
/* posix_set_adrift marks the position as unknown, because other processes may move it.
 * posix_anchored marks it as known again. The caller holds the record's lock. */
void posix_set_adrift(struct posix_file *file, int appends);
void posix_anchored(struct posix_file *file);
void posix_seeked(struct posix_file *file, int64_t offset, uint64_t t1, uint64_t t2);
void posix_synced(struct posix_file *file, int counter, uint64_t t1, uint64_t t2);

/* Functions of open.c. */

void posix_opened(int fd, int dirfd, const char *path, int flags, mode_t mode, uint64_t t1,
                  uint64_t t2);
/* Counts a successful open into a slot of an io_uring ring, or whose descriptor the application has
 * used or closed since. The arguments dirfd to mode are those of openat. Returns the file, which
 * then has one more descriptor; NULL if the file is not recorded. */
struct posix_file *posix_opened_unseen(int dirfd, const char *path, int flags, mode_t mode,
                                       uint64_t t1, uint64_t t2);
void posix_memfd(int fd, const char *name, uint64_t t1, uint64_t t2);
void posix_closed(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_close_failed(struct posix_file *file, int fd, uint64_t t1, uint64_t t2);
void posix_range_closed(unsigned first, unsigned last, uint64_t t1, uint64_t t2);
void posix_duplicated(struct posix_file *file, int fd, uint64_t t1, uint64_t t2);
/* posix_fcntl_may_count returns 1 if this command of fcntl may be counted for some file: a
 * duplication or the setting of a record lock. Otherwise it returns 0. It calls runtime_locks for
 * F_SETLK and F_SETLKW. posix_fcntl_counts returns the same for this file (NULL: not recorded),
 * whose locks do not count if it is NULL. */
int posix_fcntl_may_count(int command);
int posix_fcntl_counts(const struct posix_file *file, int command);
void posix_fcntl(struct posix_file *file, int result, int command, uint64_t t1, uint64_t t2);
/* Counts a call that set or released a lock on the file (POSIX_EXT_LOCKS), and its time, in seconds
 * with any wait for the lock (POSIX_EXT_F_LOCK_TIME). */
void posix_locked(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_fileno(int fd, FILE *stream, uint64_t t1, uint64_t t2);
/* Sets the tracked position of a file to the kernel's position of a stream's descriptor, which the
 * program has obtained (fileno). If the file has other descriptors and its position is unknown, it
 * stays unknown. */
void posix_stream_joined(struct posix_file *file, int fd);

/* Marks descriptors 0, 1 and 2 as not recorded, because they refer to a terminal or /dev/null
 * now. */
void posix_standard_replaced(void);

/* Functions of arrive.c, for descriptors that this process did not open. */

struct mmsghdr;
struct msghdr;
void posix_arrived(int fd);
/* Makes the name of the file of a descriptor with these facts. Returns 1, or 0 if the file is not
 * recorded. After a result of 1 the caller must call posix_name_done. */
struct fd_facts;
int posix_name_behind(struct posix_name *name, int module, int fd, const struct fd_facts *facts);
/* Forgets what the descriptors were before that arrived with a received message (SCM_RIGHTS), so
 * that their first use classifies them. */
void posix_message(const struct msghdr *message);
void posix_messages(const struct mmsghdr *messages, int n);

/* Functions of inherited-names.c. They pass the names of open files, if the system has other names
 * for them, to a program that starts in another process or, by exec, in this one. */
void posix_hand_on(void);
void posix_hand_on_by_exec(void);

/* Functions of ext.c on sparse files. posix_look_for_holes counts the size of a file and the bytes
 * that storage holds of it if these are less than half (POSIX_EXT_SPARSE_SIZE); fd: a descriptor of
 * the file that is open. holes_ending does this for the files that are still open. */

void posix_look_for_holes(struct posix_file *file, int fd);
void holes_ending(void);

/* Functions of attributes.c. */

void posix_stated_fd(int fd, uint64_t t1, uint64_t t2);
void posix_stated_name(int dirfd, const char *path, uint64_t t1, uint64_t t2);
void posix_folder_stated(int dirfd, const char *path, uint64_t t1, uint64_t t2);
void posix_missed(int dirfd, const char *path, uint64_t t1, uint64_t t2);
/* Counts a failed call on a name, given by dirfd and path as in openat (POSIX_EXT_FAILURES); errno
 * must be that of the call. The failure is counted in the path's record or, if it has none, in that
 * of other paths. Reads the name only if this errno is about the name (EACCES, but not EINTR or
 * EMFILE), so that the kernel has read it; otherwise the call is not counted. */
void posix_failed(int dirfd, const char *path, uint64_t t1, uint64_t t2);
/* Count a call that resolved a name (POSIX_EXT_RESOLVES), or its failed lookup (posix_missed).
 * posix_resolved: is_done is 1 if the call succeeded. posix_link_read: a readlink that returned
 * `result` and had space for `most` bytes; EINVAL, "not a link", counts as resolved. errno must be
 * that of a failed call. */
void posix_resolved(int is_done, int dirfd, const char *path, uint64_t t1, uint64_t t2);
void posix_link_read(ssize_t result, size_t most, int dirfd, const char *path, uint64_t t1,
                     uint64_t t2);
static inline void posix_stated(int result, int dirfd, const char *path, mode_t mode, uint64_t t1,
                                uint64_t t2) {
  if (UNLIKELY(result < 0))
    posix_missed(dirfd, path, t1, t2);
  else if (S_ISREG(mode) && path[0] == '\0') /* AT_EMPTY_PATH */
    posix_stated_fd(dirfd, t1, t2);
  else if (S_ISREG(mode))
    posix_stated_name(dirfd, path, t1, t2);
  else if (S_ISDIR(mode) && path[0] != '\0')
    posix_folder_stated(dirfd, path, t1, t2);
}
void posix_fstated(struct posix_file *file, int result, mode_t mode, uint64_t t1, uint64_t t2);
void posix_renamed(int result, int from_dir, const char *from, int to_dir, const char *to,
                   unsigned flags, uint64_t t1, uint64_t t2);

/* Functions of ext.c, for events that have no counter in the POSIX record. */

void posix_ext(struct posix_file *file, int counter, int64_t amount, int fcounter, uint64_t t1,
               uint64_t t2);
void posix_ext_locked(struct posix_file *file, int counter, int64_t amount);
void posix_ext_time_locked(struct posix_file *file, int fcounter, uint64_t t1, uint64_t t2);
void posix_path_event(int result, int dirfd, const char *path, int counter, uint64_t t1,
                      uint64_t t2);
/* Counts an event on a path that path_file does not know, with its time, in `counter`, an index of
 * a POSIX_EXT counter: in the file's record if it has one, otherwise in the record of other paths.
 * Makes no record for the file. Excluded paths are not counted. */
void posix_other_path_event(int dirfd, const char *path, int counter, uint64_t t1, uint64_t t2);
void posix_early_ending(void);
void posix_early_forked(void);
void posix_accessed(int result, int dirfd, const char *path, uint64_t t1, uint64_t t2);
void posix_allocated(struct posix_file *file, int64_t bytes, uint64_t t1, uint64_t t2);
void posix_mapped(struct posix_file *file, void *address, size_t bytes, int prot, int flags,
                  uint64_t t1, uint64_t t2);
void posix_msynced(const void *address, size_t bytes, uint64_t t1, uint64_t t2);
void posix_range_synced(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_all_synced(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_folder_opened(int fd, int dirfd, const char *path, uint64_t t1, uint64_t t2);
void posix_entry_read(int fd, uint64_t t1, uint64_t t2);
/* Marks that the thread is in a function of liburing, whose functions call each other by exported
 * name. Returns 1 for the outermost call, which alone is counted, otherwise 0. The caller passes
 * the result to posix_ring_end, which returns it. */
int posix_ring_begin(void);
int posix_ring_end(int outermost);
void posix_ring_counted(void);
int posix_is_folder(const char *path);
/* Return 1 if the open that returned fd took more than a millisecond and fd is a pipe: the open
 * then waited until the other end was opened. Otherwise return 0. posix_waited_for_a_pipe looks
 * only at opens that took long enough in ticks. */
int posix_waited_long_for_a_pipe(int fd, uint64_t t1, uint64_t t2);
static inline int posix_waited_for_a_pipe(int fd, uint64_t t1, uint64_t t2) {
  return UNLIKELY(t2 - t1 >= CLOCK_SHORT) && posix_waited_long_for_a_pipe(fd, t1, t2);
}
/* Counts, for the STDIO module, bytes that code of <stdio.h>, which the compiler inlined into the
 * program, moved without a call of libc: adds 1 to POSIX_EXT_INLINED of this file (id and name).
 * *number: that of its POSIX_EXT record, set when the record is made; 0: not yet. The caller holds
 * the lock that protects *number. */
void posix_ext_inlined(uint32_t *number, uint64_t id, const char *name, size_t length);

/* Functions of aio.c, and the structs that they use. */

struct kaio_request { /* struct iocb of libaio */
  void *data;
  uint32_t words[2];
  uint16_t opcode;
  int16_t priority;
  int32_t fd;
  void *buffer;
  uint64_t bytes;
  int64_t offset;
};
struct kaio_event { /* struct io_event of libaio */
  void *data;
  struct kaio_request *request;
  int64_t result, result2;
};
void aio_submitted(struct posix_file *file, const struct aiocb *cb, uint64_t t1);
void aio_returned(struct posix_file *file, const struct aiocb *cb, int64_t result, uint64_t t1,
                  uint64_t t2);
void aio_waited(struct posix_file *file, uint64_t t1, uint64_t t2);
/* Returns the file of the first of n requests that is on a recorded file; NULL if none is. Elements
 * of the list may be NULL. */
struct posix_file *aio_first_file(const struct aiocb *const *list, int n);
void aio_list_submitted(struct aiocb *const *list, int n, int result, uint64_t t1);
void kaio_submitted(struct kaio_request **list, int n, uint64_t t1);
void kaio_completed(const struct kaio_event *events, int n, uint64_t t1, uint64_t t2);
void kaio_cancelled(const struct kaio_request *request, uint64_t t1, uint64_t t2);

/* Functions of syscall.c. */

/* A system call that the application makes by its number. posix_before_syscall, called before it,
 * may replace arguments; posix_syscall counts it with its result: negative if it failed, with
 * errno. */
struct posix_call {
  long number, argument[6];
  struct ring *ring;          /* the ring that io_uring_enter uses */
  struct posix_file *closing; /* the file of the descriptor that is closed */
  int leaves;                 /* 1: the call is an exec, which does not return if it succeeds */
};
void posix_before_syscall(struct posix_call *call);
void posix_syscall(const struct posix_call *call, long result, uint64_t t1, uint64_t t2);

#endif

/* Finds the file of a path: its state and its record. */
#include "../posix.h"

#include <string.h>
#include <sys/vfs.h>

#include "../../../door/door.h"
#include "../../../life/life.h"
#include "../../../names/descriptors.h"
#include "../../../names/folder-hash.h"
#include "../../../names/paths.h"
#include "../../lustre/lustre.h"
#include "../../training/training.h"
#include "../account.h"
#include "../asynchronous/requests.h"
#include "../asynchronous/rings.h"
#include "../mapped/mappings.h"
#include "known-paths.h"
#include "record-id.h"
#include "shared-records.h"

struct posix_state posix_state;

static struct posix_aux other_paths;
static struct requests aio_requests;

/* Returns the largest number of file states, without those of overflow files. It is twice the limit
 * of records, because a forked child may inherit as many files as it may make records. */
static uint32_t most_files(void) {
  return 2 * store_fill(&darshan_store, STORE_POSIX).limit + 2;
}

int posix_prepare(void) {
  struct posix_state *posix = &posix_state;
  posix->mem_alignment = (uint64_t)mem_alignment();
  posix->other_paths = &other_paths;
  posix->aio = &aio_requests;
  posix->used_files = POSIX_SHARED_FILE;
  segments_prepare(&posix->files, sizeof(struct posix_file), SEGMENTS_PAGE);
  segments_prepare(&posix->aux, sizeof(struct posix_aux), SEGMENTS_PAGE);
  segments_prepare(&posix->values, sizeof(struct posix_values), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_POSIX, &posix->aux);
  store_beside(&darshan_store, STORE_POSIX, &posix->values);
  store_guard(&darshan_store, &other_paths.lock, 0);
  return segments_have(&posix->files, POSIX_SHARED_FILE);
}

/* Returns 1 for an absolute path that is its own name: it has no //, /./ or other part to remove.
 * length: of the path; 0: it is relative. Otherwise returns 0. */
static int is_clean(const char *path, size_t length) {
  if (length == 0) return 0;
  if (!darshan_may_need_cleaning(path, length)) return 1;
  for (const char *p = path; *p; p++)
    if (*p == '/' && (p[1] == '/' || (p[1] == '.' && p[2] == '/'))) return 0;
  return 1;
}

/* Returns 1 if the runtime notices when the descriptor is closed, because the descriptor has an
 * entry that is not free. Otherwise returns 0. */
static int is_followed(int fd) {
  const struct fd_entry *entry = fd_can_follow(fd) ? fd_entry(fd) : NULL;
  return entry && !fd_is_free(entry) && fd_may_change();
}

/* Writes the absolute path of dirfd and path (as in openat) into a buffer that *name then owns.
 * Returns its length; 0 if it is unknown, does not fit, or there is no buffer. */
static size_t clean_into(struct posix_name *name, int dirfd, const char *path) {
  enum { room = DARSHAN_PATH_ROOM };
  name->buffer = path_buffer_take();
  if (!name->buffer) return 0;
  char *buffer = name->buffer->bytes;
  name->text = buffer;
  if (path[0] == '/') return darshan_clean_path(buffer, room, "/", 1, path);
  if (dirfd == AT_FDCWD) return folder_clean_path(buffer, room, path);
  if (path[0] == '\0')
    return fd_name(buffer, room, dirfd); /* AT_EMPTY_PATH: the descriptor itself */
  return fd_folder_clean_path(buffer, room, dirfd, path, is_followed(dirfd) ? ticks_now() : 0);
}

/* Returns what an excluded name leads to: the descriptor's number if the name represents a
 * descriptor (/dev/stdin, /proc/self/fd/5); BEHIND_SOMETHING if it leads to another file in some
 * other way (/proc/self/cwd/x); BEHIND_NOTHING if it is the file's own name. */
enum { BEHIND_NOTHING = -2, BEHIND_SOMETHING = -1 };
static int behind(const char *name) {
  static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  int in_proc = strncmp(name, "/proc/", 6) == 0, number = 0;
  if (!in_proc && strncmp(name, "/dev/", 5) != 0) return BEHIND_NOTHING;
  for (int i = 0; i < 3; i++)
    if (strcmp(name, standard[i]) == 0) return i;
  const char *at = strstr(name, "/fd/");
  if (!at)
    return in_proc && (strstr(name, "/cwd/") || strstr(name, "/root/")) ? BEHIND_SOMETHING
                                                                        : BEHIND_NOTHING;
  for (at += 4; *at >= '0' && *at <= '9' && number < RUNTIME_FDS_FAR; at++)
    number = 10 * number + (*at - '0');
  return *at ? BEHIND_SOMETHING : number;
}

/* Returns 1 if the first two letters of an absolute path are those of a system folder (/etc, /usr),
 * otherwise 0. Most of these names are excluded, so their exclusion is checked before their
 * record. */
static int may_be_of_system(const char *name) {
  switch (name[1] << 8 | name[2]) {
  case 'b' << 8 | 'i':
  case 'b' << 8 | 'o':
  case 'd' << 8 | 'e':
  case 'e' << 8 | 't':
  case 'l' << 8 | 'i':
  case 'o' << 8 | 'p':
  case 'p' << 8 | 'r':
  case 's' << 8 | 'y':
  case 's' << 8 | 'b':
  case 'u' << 8 | 's':
  case 'v' << 8 | 'a':
    return 1;
  default:
    return 0;
  }
}

/* Returns 1 if the file has a record of this module, and therefore is not excluded. Otherwise, for
 * modules other than POSIX and STDIO, and in a forked child whose tables are not reset yet, returns
 * 0. Sets name->is_new and name->file, unless it looks up nothing. This saves the check for
 * exclusion, which costs more than the rest of a stat event. */
static int has_record(int module, struct posix_name *name) {
  if (module != DARSHAN_MOD_POSIX && module != DARSHAN_MOD_STDIO) return 0;
  if (runtime_phase() != RUNTIME_RECORDING)
    return 0; /* a forked child whose tables are not reset yet */
  const struct store_entry *entry = store_find(&darshan_store, name->id);
  name->is_new = !entry;
  if (!entry) return 0;
  name->file = __atomic_load_n(&entry->file, __ATOMIC_ACQUIRE);
  if (entry->record[module == DARSHAN_MOD_POSIX ? STORE_POSIX : STORE_STDIO] == NO_RECORD) return 0;
  if (name->file) path_learn(name->key, name->file);
  return 1;
}

static int is_excluded(int module, struct posix_name *name, size_t length) {
  int ask_first = name->text[0] != '/' || may_be_of_system(name->text);
  if (ask_first && name_is_excluded(module, name->text, length)) return 1;
  name->length = (uint32_t)length;
  name->id = darshan_hash(name->text, length, 0);
  if (ask_first || has_record(module, name)) return 0;
  name->folder = name_folder(name->text, length);
  return name_in_folder_is_excluded(module, name->text, length, name->folder);
}

/* Returns 1 and fills in *name if its text, of this length, is the path of a file that the POSIX
 * module knows (known-paths.h). Otherwise returns 0, as for every other module. */
static int is_known(struct posix_name *name, int module, size_t length) {
  if (module != DARSHAN_MOD_POSIX || runtime_phase() != RUNTIME_RECORDING) return 0;
  name->key = path_key(name->text, length);
  name->file = path_known(name->text, length, name->key);
  if (!name->file) return 0;
  name->length = (uint32_t)length;
  name->id = posix_file_at(name->file)->id;
  return 1;
}

static int name_of(struct posix_name *name, int module, int dirfd, const char *path,
                   int *behind_it) {
  size_t length = path[0] == '/' ? strlen(path) : 0;
  name->buffer = NULL;
  name->file = 0;
  name->is_new = 0;
  name->folder.hash = 0;
  name->key = 0;
  name->text = path;
  if (length && is_known(name, module, length)) return 1;
  if (!module_is_on(module)) return 0;
  if (!is_clean(path, length)) {
    length = clean_into(name, dirfd, path);
    if (length && is_known(name, module, length)) return 1;
  }
  if (length == 0 || length > DARSHAN_NAME_MAX) { /* the file then has an id, but no name */
    name->length = 0;
    name->id = darshan_hash(path, strlen(path), (uint64_t)dirfd);
    return 1;
  }
  if (!is_excluded(module, name, length)) return 1;
  if (behind_it) *behind_it = behind(name->text);
  posix_name_done(name);
  return 0;
}

int posix_name_of(struct posix_name *name, int module, int dirfd, const char *path) {
  return name_of(name, module, dirfd, path, NULL);
}

/* Replaces the name by the name of the recorded file of descriptor `number` (negative: none), if
 * both are the same file. facts: of the file that was just opened under the old name. Returns 1 if
 * it did. Returns 0 otherwise, and if `module` is off or excludes the name of the descriptor's
 * file. */
static int is_also(struct posix_name *name, int module, int number, const struct fd_facts *facts) {
  const struct posix_file *file = number >= 0 ? posix_file_of(number) : NULL;
  struct fd_facts there;
  if (!file || file->overflow || !file->name_length || !module_is_on(module)) return 0;
  if (fd_look(number, &there) < 0 || there.inode != facts->inode ||
      memcmp(there.device, facts->device, sizeof(there.device)) != 0)
    return 0;
  if (name_is_excluded(module, file->name, file->name_length)) return 0;
  *name = posix_named(file->name, file->name_length, file->id);
  return 1;
}

int posix_name_opened(struct posix_name *name, int module, int dirfd, const char *path, int fd) {
  int number = BEHIND_NOTHING, named = name_of(name, module, dirfd, path, &number);
  struct fd_facts facts;
  if (LIKELY(named ? !name->length || name->text[0] == '/' : number == BEHIND_NOTHING))
    return named;
  posix_name_done(name); /* a frame must not hold two buffers */
  if (fd_look(fd, &facts) == 0 && (named || facts.is_regular) &&
      (is_also(name, module, number, &facts) || posix_name_behind(name, module, fd, &facts)))
    return 1;
  return named ? name_of(name, module, dirfd, path, NULL) : 0;
}

/* Returns the alignment of a folder, in bytes, plus ON_LUSTRE if it is on Lustre
 * (posix_file_system); 0 if the table lacks the folder. hash: of the folder's name. */
static uint32_t known_file_system(uint64_t hash) {
  uint64_t entry = __atomic_load_n(&posix_state.alignments[hash % 64], __ATOMIC_RELAXED);
  return entry != 0 && entry >> 32 == hash >> 32 ? (uint32_t)entry : 0;
}

static __attribute__((noinline)) uint32_t ask_file_system(const char *name, int fd, uint64_t hash) {
  struct statfs fs;
  long result = fd >= 0 ? SYS2(SYS_fstatfs, fd, &fs) : SYS2(SYS_statfs, name, &fs);
  uint32_t alignment = result == 0 && fs.f_bsize > 0 ? (uint32_t)fs.f_bsize : 4096;
  if (result == 0 && fs.f_type == LUSTRE_FILE_SYSTEM) alignment = LUSTRE_ALIGNMENT | ON_LUSTRE;
  __atomic_store_n(&posix_state.alignments[hash % 64], (hash >> 32 << 32) | alignment,
                   __ATOMIC_RELAXED);
  return alignment;
}

uint32_t posix_file_system_of(const struct posix_name *name, int fd) {
  uint64_t hash = posix_folder_of(name).hash;
  uint32_t known = known_file_system(hash);
  return LIKELY(known) ? known : ask_file_system(name->text, fd, hash);
}

uint32_t posix_file_system(const char *name, uint32_t length, int fd) {
  return posix_file_system_of(&(struct posix_name){.text = name, .length = length}, fd);
}

void posix_aux_prepare(uint32_t number) {
  /* Leaves the lock as it is, because a thread that locks all records may already hold it. */
  struct posix_aux *aux = posix_aux_of(number);
  size_t lock = offsetof(struct posix_aux, ext);
  memset((char *)aux + lock, 0, sizeof(*aux) - lock);
  aux->values = segments_at(&posix_state.values, number);
  aux->watched = layers_state.active | sites_watch() | training_watched;
  aux->traced = dxt_on(DXT_POSIX) ? number : 0;
}

/* Gives the file its own record, which is made if the entry has none. Returns the record's number,
 * or 0 at the record limit or if out of memory. The caller holds the store's lock. */
static uint32_t make_record(struct posix_file *file, struct store_entry *entry) {
  struct record_store *store = &darshan_store;
  uint32_t number = entry->record[STORE_POSIX];
  if (!number) number = store_new_record(store, STORE_POSIX, entry);
  if (!number) return 0;
  struct darshan_posix_record *record = store_record(store, STORE_POSIX, number);
  if (record->counters[POSIX_MEM_ALIGNMENT] ==
      0) { /* a new record; this counter is set last, because it marks the record as ready */
    record->counters[POSIX_FILE_ALIGNMENT] = file->alignment ? (int64_t)file->alignment : -1;
    posix_aux_prepare(number);
    COMPILER_FENCE();
    record->counters[POSIX_MEM_ALIGNMENT] = mem_alignment();
  }
  file->aux = posix_aux_of(number);
  file->name = entry->name;
  __atomic_store_n(&file->record, store_record(store, STORE_POSIX, number), __ATOMIC_RELEASE);
  return number;
}

/* Makes the state of a file of this name and its own record, and returns the state's number; 0,
 * without a state, if the table or the module's records are full, or if out of memory. alignment:
 * of posix_file_system. entry: the store's entry of the name; NULL: none yet. The caller holds the
 * store's lock. */
static uint32_t own_file(struct posix_state *posix, const struct posix_name *name,
                         uint32_t alignment, struct store_entry *entry) {
  uint32_t number = posix->used_files + 1;
  if (posix->used_files - posix->overflow_files >= most_files()) return 0;
  int room = !store_is_full(&darshan_store, STORE_POSIX);
  if (!entry && room) entry = store_enter(&darshan_store, name->id, name->text, name->length);
  if (!entry || !(room || entry->record[STORE_POSIX]) || segments_have(&posix->files, number) < 0)
    return 0;
  struct posix_file *file = posix_file_at(number);
  *file = (struct posix_file){.id = name->id, .name_length = name->length, .number = number};
  file->alignment = alignment & ~(uint32_t)ON_LUSTRE;
  file->on_lustre = alignment & ON_LUSTRE;
  if (!make_record(file, entry)) return 0;
  __atomic_store_n(&posix->used_files, number, __ATOMIC_RELEASE);
  __atomic_store_n(&entry->file, number, __ATOMIC_RELEASE);
  if (entry->name_length == name->length) path_learn(name->key, number);
  return number;
}

/* Returns the number of the file of this name: a known file, or else one that it makes: with its
 * own record or, beyond the limit of records and for program files, with a record that files share.
 * Returns 0 if there is no space. alignment: of posix_file_system; 0: unknown. The caller holds the
 * store's lock. */
static uint32_t new_file(const struct posix_name *name, uint32_t alignment) {
  struct posix_state *posix = &posix_state;
  struct store_entry *entry = store_find(&darshan_store, name->id), *tree = NULL;
  if (entry && entry->file) return entry->file;
  uint32_t number = overflow_open(posix, name->id);
  if (number) return number;
  if (name->length == 0) return overflow_file(posix, name, 0, NULL);
  if (!entry || !entry->record[STORE_POSIX])
    tree = store_tree(&darshan_store, STORE_POSIX, name->text, name->length, posix_folder_of(name));
  int may_own = entry || !store_is_full(&darshan_store, STORE_POSIX);
  if (!tree && may_own && (number = own_file(posix, name, alignment, entry))) return number;
  return overflow_file(posix, name, alignment, tree);
}

static inline uint32_t known_file(const struct posix_name *name) {
  struct store_entry *entry = store_find(&darshan_store, name->id);
  return entry ? __atomic_load_n(&entry->file, __ATOMIC_ACQUIRE) : 0;
}

static uint32_t make_file(const struct posix_name *name, uint32_t alignment) {
  if (!store_lock_for(&darshan_store, STORE_POSIX)) return 0;
  uint32_t number = new_file(name, alignment);
  store_unlock_for(&darshan_store, STORE_POSIX);
  return number;
}

uint32_t posix_file_get(const struct posix_name *name, int fd) {
  uint32_t number = name->is_new ? 0 : known_file(name);
  if (number != 0) return number;
  return make_file(name, name->length ? posix_file_system_of(name, fd) : 0);
}

uint32_t posix_file_unasked(const struct posix_name *name, uint32_t block) {
  uint32_t number = known_file(name), known = 0;
  if (number != 0) return number;
  known = known_file_system(posix_folder_of(name).hash);
  return make_file(name, known ? known : block & ~(uint32_t)ON_LUSTRE);
}

uint32_t posix_file_enter_slow(const struct posix_name *name, int fd) {
  if (!runtime_enter()) return 0;
  uint32_t number = posix_file_get(name, fd);
  runtime_leave();
  return number;
}

uint32_t posix_file_find(const struct posix_name *name) {
  if (name->file) return name->file;
  struct store_entry *entry = store_find(&darshan_store, name->id);
  if (entry && entry->file) return entry->file;
  if (posix_state.overflow_names == 0) return 0;
  if (!store_lock_for(&darshan_store, STORE_POSIX)) return 0;
  uint32_t number = overflow_knows(&posix_state, name->id) ? new_file(name, 0) : 0;
  store_unlock(&darshan_store);
  return number;
}

void posix_file_unused_slow(struct posix_file *file) {
  if (__atomic_load_n(&file->descriptors, __ATOMIC_RELAXED) != 0) return;
  int begun = guard_begin();
  if (store_lock(&darshan_store)) {
    if (file->overflow && file->descriptors == 0) overflow_forget(&posix_state, file);
    store_unlock(&darshan_store);
  }
  guard_end(begun);
}

/* Makes the record of a file that was inherited by a fork or, at the record limit, assigns it the
 * record of a group. Called at the file's first event in the child. Returns 1, or 0 if there is no
 * space or the state is that of the parent process; the event is then not counted. */
int posix_materialise(struct posix_file *file) {
  int made = 1;
  if (posix_file_at(file->number) != file) { /* a handler forked during this call */
    runtime_lost_event(0);
    return 0;
  }
  if (!store_lock_for(&darshan_store, STORE_POSIX)) return 0;
  if (!file->record) {
    struct store_entry *entry =
        store_enter(&darshan_store, file->id, file->name, file->name_length);
    if (entry && make_record(file, entry)) {
      if (!entry->file) entry->file = posix_file_number(file);
    } else {
      made = overflow_share(file,
                            store_group(&darshan_store, STORE_POSIX, file->name, file->name_length,
                                        name_folder(file->name, file->name_length)));
    }
  }
  store_unlock(&darshan_store);
  return made;
}

/* Makes the child's state with this number, without a record, from the parent's state `from`, which
 * stores the number in next_free. */
static void inherit(struct posix_file *from, uint32_t number) {
  struct posix_file *file = posix_file_at(number);
  *file = *from;
  file->record = NULL;
  file->aux = NULL;
  memset(file->last_end, 0, sizeof(file->last_end)); /* forgets the times of the parent */
  if (from->overflow) file->id = darshan_hash(from->name, from->name_length, 0);
  file->overflow = 0;
  file->next_free = 0;
  file->number = number;
  from->next_free = number;
}

/* Returns the child's state for a file of the parent, which is made if necessary; NULL if the table
 * is full or memory is exhausted. *kept: number of the child's states so far, which it increases if
 * it makes one. */
static struct posix_file *heir(struct posix_file *file, uint32_t *kept) {
  uint32_t limit = most_files() / 2;
  if (file->next_free == 0 && *kept + 1 < limit &&
      segments_have(&posix_state.files, *kept + 1) == 0)
    inherit(file, ++*kept); /* first descriptor or mapping of this file */
  return file->next_free ? posix_file_at(file->next_free) : NULL;
}

/* Called in a forked child: drops the parent's state. Open and mapped files remain known, but have
 * no records yet. If out of memory, the child records nothing. */
void posix_forked(void) {
  struct posix_state *posix = &posix_state;
  uint32_t kept = POSIX_SHARED_FILE;
  struct segments old = posix->files;
  segments_prepare(&posix->files, sizeof(struct posix_file), SEGMENTS_PAGE);
  if (segments_have(&posix->files, POSIX_SHARED_FILE) < 0) {
    darshan_hot.fd_limit = 0;
    runtime_note_no_memory();
    return;
  }
  for (int fd = fd_next(-1); fd >= 0; fd = fd_next(fd)) {
    struct fd_entry *entry = fd_entry(fd);
    struct posix_file *file = fd_followed(entry->file);
    if (file) entry->file = heir(file, &kept);
  }
  mappings_forked(heir, &kept);
  /* The old states stay allocated, without records: a handler may have forked during a call that
   * continues in the child. */
  for (uint32_t number = 1; number <= posix->used_files; number++) {
    struct posix_file *file = segments_at(&old, number);
    file->record = NULL;
  }
  if (posix->used_files > POSIX_SHARED_FILE)
    memset(posix->known_paths, 0, sizeof(posix->known_paths));
  posix->used_files = kept;
  segments_clear(&posix->aux);
  segments_clear(&posix->values);
  memset(posix->other_paths, 0, sizeof(*posix->other_paths));
  missed_folders_forget();
  requests_forget(posix->aio);
  posix->aio->lock = 0;
  rings_forked();
  overflow_reset(posix);
}

uint64_t posix_files_in_overflow(void) {
  return posix_state.in_overflow;
}

void posix_ended(void) {
  heatmap_settle(&(struct heatmap_source){
      .layer = HEATMAP_POSIX,
      .module = STORE_POSIX,
      .locks = &posix_state.aux,
      .spans = &posix_state.aux,
      .span = offsetof(struct posix_aux, span),
      .booked = offsetof(struct posix_aux, booked),
      .read = POSIX_BYTES_READ,
      .written = POSIX_BYTES_WRITTEN,
  });
}

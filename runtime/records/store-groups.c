/* Group records: finds the group whose record a file shares, names groups, and counts their
 * files. */
#include <string.h>

#include "../intercept/stack.h"
#include "../names/folder-hash.h"
#include "../names/groups.h"
#include "../names/path-buffers.h"
#include "record-id.h"
#include "records.h"
#include "store-room.h"
#include "store.h"

enum { SKETCH_WORDS = GROUP_NUM_COUNTERS - GROUP_SKETCH_00, BUCKETS_A_WORD = 3, LEVELS = 21 };

static struct darshan_group_record *facts_of(const struct record_store *store,
                                             const struct store_entry *entry) {
  uint32_t number = entry->record[STORE_GROUP];
  return number ? store_record(store, STORE_GROUP, number) : NULL;
}

static enum group_kind kind_of(const struct store_entry *entry) {
  if (strcmp(entry->name, OVERFLOW_NAME) == 0) return GROUP_OVERFLOW;
  int is_program = darshan_program_tree(entry->name, entry->name_length) ||
                   darshan_has_program_ending(entry->name, entry->name_length);
  return is_program ? GROUP_TREE : GROUP_FOLDER;
}

void store_mark_group(struct record_store *store, struct store_entry *entry) {
  if (!entry || entry->record[STORE_GROUP]) return;
  uint32_t number = store_new_record(store, STORE_GROUP, entry);
  if (!number) return;
  struct darshan_group_record *facts = store_record(store, STORE_GROUP, number);
  facts->counters[GROUP_KIND] = kind_of(entry);
}

/* Counts the file of this id as a member of the group if is_new is 1. New or not, sets the file's
 * bit in the group's sketch: the bit of the bucket and level of the id (doc/log-format.md,
 * "GROUP"). If is_new is STORE_MAY_BE_NEW, the file counts as new if this bit was not set before.
 * Does nothing if the group has no group record, or if the id is that of the group itself. */
void store_count_member(struct record_store *store, const struct store_entry *group, uint64_t id,
                        int is_new) {
  struct darshan_group_record *facts = facts_of(store, group);
  if (!facts || id == group->id) return;
  uint32_t bucket = (uint32_t)(id >> 32) % (SKETCH_WORDS * BUCKETS_A_WORD);
  int level = __builtin_ctz((uint32_t)id | UINT32_C(1) << (LEVELS - 1));
  int64_t bit = INT64_C(1) << (bucket % BUCKETS_A_WORD * LEVELS + (uint32_t)level);
  int64_t *word = &facts->counters[GROUP_SKETCH_00 + bucket / BUCKETS_A_WORD];
  if (is_new == STORE_MAY_BE_NEW) is_new = !(*word & bit);
  *word |= bit;
  facts->counters[GROUP_SEEN] += is_new;
  facts->counters[GROUP_FILES] = facts->counters[GROUP_SEEN];
}

/* Finds or makes the group whose name consists of the first `folder` bytes of this name, a star,
 * and its extension from offset `ending` on. counted: number of groups of this kind; if it has
 * reached `most`, no group is made. Returns NULL if there is no group. */
static struct store_entry *named(struct record_store *store, const char *name, size_t folder,
                                 size_t ending, size_t length, uint32_t *counted, uint32_t most) {
  size_t whole = folder + 1 + (length - ending);
  struct path_buffer *text = whole < DARSHAN_PATH_ROOM ? path_buffer_take() : NULL;
  if (!text) return NULL;
  memcpy(text->bytes, name, folder);
  text->bytes[folder] = '*';
  memcpy(text->bytes + folder + 1, name + ending, length - ending);
  text->bytes[whole] = '\0';
  uint64_t id = darshan_hash(text->bytes, whole, 0);
  struct store_entry *entry = store_find(store, id);
  if (!entry && *counted < most && (entry = store_enter(store, id, text->bytes, whole)))
    (*counted)++;
  path_buffer_give(text);
  store_mark_group(store, entry);
  return entry && entry->record[STORE_GROUP] ? entry : NULL;
}

/* Arguments and result of find_tree, which runs on a stack of the runtime. The caller has little
 * stack left, so the struct has no other members. */
struct tree_search {
  struct record_store *store;
  const char *name;
  size_t length, tree; /* tree: length of the beginning of the name that is the tree's path */
  size_t ending;       /* offset of the extension in the name; `length` if it has none */
  struct store_entry *found;
};

static void find_tree(void *search_) {
  struct tree_search *search = search_;
  search->found = named(search->store, search->name, search->tree, search->ending, search->length,
                        &search->store->trees, GROUP_TREES_MOST);
}

/* Looks up the group of the program tree to which the name's folder belongs, and stores it in
 * *known (NULL: none). It is stored because program files of one folder are opened in
 * succession. */
static __attribute__((noinline)) void learn_tree(struct record_store *store, const char *name,
                                                 size_t length, struct name_folder folder,
                                                 struct store_folder *known) {
  size_t tree = darshan_program_tree(name, folder.bytes);
  struct tree_search search = {
      .store = store, .name = name, .length = length, .tree = tree, .ending = length};
  if (tree) stack_run_anyway(find_tree, &search);
  *known = (struct store_folder){folder.hash, search.found};
}

/* Finds or makes the group of the program files that have the same ending and folder as `name`.
 * Returns NULL if there is no group. */
static __attribute__((noinline)) struct store_entry *
by_ending(struct record_store *store, const char *name, size_t length, struct name_folder folder) {
  size_t ending = darshan_ending_after(folder.bytes, name, length);
  struct tree_search search = {
      .store = store, .name = name, .length = length, .tree = folder.bytes, .ending = ending};
  stack_run_anyway(find_tree, &search);
  return search.found;
}

static struct store_entry *tree_of(struct record_store *store, const char *name, size_t length,
                                   struct name_folder folder) {
  struct store_folder *known = &store->folder[folder.hash % STORE_FOLDERS];
  if (UNLIKELY(known->hash != folder.hash)) learn_tree(store, name, length, folder, known);
  if (UNLIKELY(darshan_group_rules.ending != NULL) && !known->tree &&
      darshan_has_program_ending(name, length))
    return by_ending(store, name, length, folder);
  return known->tree && !darshan_is_data(name, length) ? known->tree : NULL;
}

/* Returns 1 if the name belongs to the group that was looked up last, otherwise 0. The extension of
 * a group consists of a dot, letters and digits, so a name that ends with it has this extension.
 * The group of a folder's files without an extension has an empty extension. */
static inline int is_of_last(const struct record_store *store, const char *name, size_t length,
                             struct name_folder folder) {
  const struct store_entry *last = store->last_group;
  if (!last || folder.hash != store->last_folder.hash || folder.bytes != store->last_folder.bytes)
    return 0;
  size_t ending = last->name_length - folder.bytes - 1;
  if (ending == 0) return darshan_ending_after(folder.bytes, name, length) == length;
  if (length <= folder.bytes + ending) return 0;
  const char *at = name + (length - ending), *kept = last->name + folder.bytes + 1;
  while (ending > 0 && at[ending - 1] == kept[ending - 1])
    ending--;
  return ending == 0;
}

static struct store_entry *folder_of(struct record_store *store, const char *name, size_t length,
                                     struct name_folder folder) {
  if (is_of_last(store, name, length, folder)) return store->last_group;
  size_t ending = darshan_ending_after(folder.bytes, name, length);
  if (!folder.bytes || name[0] != '/') return NULL;
  store->last_group =
      named(store, name, folder.bytes, ending, length, &store->folders, GROUP_FOLDERS_MOST);
  store->last_folder = folder;
  return store->last_group;
}

/* Returns the number of the group's record in this module, which is made if necessary; NO_RECORD if
 * out of memory or if there are too many groups. */
uint32_t store_share(struct record_store *store, enum store_module module,
                     struct store_entry *group) {
  struct store_region *region = &store->regions[module];
  if (group->record[module]) return group->record[module];
  if (region->groups >= GROUP_MOST - 1) return NO_RECORD;
  uint32_t number = store_append_record(store, module, group, region->overflow ? 0 : 1);
  if (number) region->groups++;
  return number;
}

struct store_entry *store_tree(struct record_store *store, enum store_module module,
                               const char *name, size_t length, struct name_folder folder) {
  if (length == 0 || name[0] != '/') return NULL;
  struct store_entry *tree = tree_of(store, name, length, folder);
  return tree && store_share(store, module, tree) ? tree : NULL;
}

/* Arguments and result of a search for a folder's group, which also runs on a stack of the
 * runtime. */
struct search {
  struct record_store *store;
  enum store_module module;
  const char *name;
  size_t length;
  struct name_folder folder;
  struct store_entry *found;
};

static void find_group(void *search_) {
  struct search *search = search_;
  struct record_store *store = search->store;
  struct store_entry *group =
      search->length ? folder_of(store, search->name, search->length, search->folder) : NULL;
  if (!group || !store_share(store, search->module, group)) {
    uint32_t number = store_overflow_record(store, search->module);
    search->found =
        number ? store_find(store, darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0))
               : NULL;
    return;
  }
  if (group->record[STORE_GROUP]) store_fold(store, search->module);
  search->found = group;
}

struct store_entry *store_group(struct record_store *store, enum store_module module,
                                const char *name, size_t length, struct name_folder folder) {
  if (length && is_of_last(store, name, length, folder) && store->last_group->record[module] &&
      store->regions[module].folded)
    return store->last_group;
  struct search search = {
      .store = store, .module = module, .name = name, .length = length, .folder = folder};
  stack_run_anyway(find_group, &search);
  return search.found;
}

uint32_t store_record_of(struct record_store *store, enum store_module module, const char *name,
                         size_t length, uint64_t id, struct store_entry **entry) {
  struct store_entry *own = length ? store_find(store, id) : NULL;
  struct name_folder folder = {0, 0};
  if (!own || !own->record[module]) {
    if (length) folder = name_folder(name, length);
    *entry = module == STORE_STDIO ? store_tree(store, module, name, length, folder) : NULL;
    if (!*entry && length && !store_is_full(store, module)) {
      own = store_enter(store, id, name, length);
      if (own) store_new_record(store, module, own);
    }
  }
  if (own && own->record[module]) {
    *entry = own;
    return own->record[module];
  }
  if (!*entry) *entry = store_group(store, module, name, length, folder);
  if (!*entry) return NO_RECORD;
  store_count_member(store, *entry, id, STORE_MAY_BE_NEW);
  return (*entry)->record[module];
}

void store_forget_groups(struct record_store *store) {
  store->trees = store->folders = 0;
  store->last_group = NULL;
  memset(store->folder, 0, sizeof(store->folder));
}

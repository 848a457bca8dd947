/* The hash table of folders in which lookups of names failed (shared-records.h). */
#include "shared-records.h"

#include <string.h>

#include "../../../door/door.h"
#include "../../../names/folder-hash.h"

enum { PLACES = 64, TRIED = 4 };
SELDOM static struct missed_folder folders[PLACES];
static int is_used;

struct missed_folder *missed_folder(const char *name, size_t length) {
  uint64_t hash = folder_hash(name, length) | 1;
  struct missed_folder *rare = NULL;
  for (unsigned i = 0; i < TRIED; i++) {
    struct missed_folder *place = &folders[(hash / 2 + i) % PLACES];
    if (place->hash == hash) return place;
    if (!place->number && (!rare || place->count < rare->count)) rare = place;
  }
  /* The counts of the folder that loses its slot stay in the record of other paths. */
  if (rare) *rare = (struct missed_folder){.hash = hash};
  is_used = 1;
  return rare;
}

void missed_folders_forget(void) {
  if (is_used) memset(folders, 0, sizeof(folders));
  is_used = 0;
}

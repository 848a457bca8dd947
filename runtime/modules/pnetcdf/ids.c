/* The table that maps the ids of the PnetCDF libraries to files and variables. */
#include <string.h>

#include "pnetcdf.h"

struct pnetcdf_state pnetcdf_state;

int pn_start(void) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  segments_prepare(&pn->files, sizeof(struct pn_file), SEGMENTS_PAGE);
  segments_prepare(&pn->variables, sizeof(struct pn_variable), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_PNETCDF_FILE, &pn->files);
  store_beside(&darshan_store, STORE_PNETCDF_VAR, &pn->variables);
  return 0;
}

/* Allocates the table of open files, unless it exists; if out of memory, `prepared` stays 0. Called
 * at the first open of a file, so that other processes do not need the memory. */
void pn_prepare(void) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  if (pn->prepared) return;
  struct pn_open *open = runtime_module_memory(PN_OPEN * sizeof(struct pn_open));
  int begun;
  if (!spin_lock_alone(SPIN_RECORD, &pn->lock, &begun)) return;
  if (!pn->prepared && open) {
    pn->open = open;
    pn->free_chunks = NULL;
    pn->prepared = 1;
  }
  spin_unlock_alone(&pn->lock, begun);
}

/* Called in a forked child: empties the tables. Files that are open get records when they are
 * used. */
void pn_forked(void) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  pn->lock = 0;
  pn->prepared = 0;
  segments_clear(&pn->files);
  segments_clear(&pn->variables);
  darshan_inside.pnetcdf = NULL;
}

static uint32_t place_of(const struct pn_library *lib, int ncid) {
  return ((uint32_t)ncid + lib->common.number * 512) % PN_OPEN;
}

/* Returns the slot of an open file, or NULL if it is not in the table. The caller holds the lock.
 */
static struct pn_open *find(const struct pn_library *lib, int ncid) {
  struct pn_open *open = pnetcdf_state.open;
  for (uint32_t i = place_of(lib, ncid), n = 0; n < PN_OPEN; i = (i + 1) % PN_OPEN, n++) {
    if (open[i].library == lib->common.number && open[i].ncid == ncid && !open[i].deleted)
      return &open[i];
    if (open[i].library == 0) return NULL;
  }
  return NULL;
}

/* Returns the member for the variable with this id of an open file. make: 1 to allocate it if it
 * does not exist. Returns NULL if it does not exist, if the id is negative, or if out of memory.
 * The caller holds the lock. */
static struct pn_member *member_of(struct pn_open *open, int varid, int make) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  struct pn_chunk **chunk = &open->variables;
  if (varid < 0) return NULL;
  for (int skip = varid / PN_CHUNK;; skip--) {
    if (!*chunk && make) {
      *chunk = pn->free_chunks;
      if (*chunk)
        pn->free_chunks = (*chunk)->next;
      else
        *chunk = scratch_take(&darshan_scratch, sizeof(struct pn_chunk));
      if (*chunk) memset(*chunk, 0, sizeof(struct pn_chunk));
    }
    if (!*chunk) return NULL;
    if (skip == 0) return &(*chunk)->member[varid % PN_CHUNK];
    chunk = &(*chunk)->next;
  }
}

struct pn_known pn_known(const struct pn_library *lib, int ncid) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  struct pn_known known = {ncid, NULL};
  if (!pn->prepared || !record_lock(&pn->lock)) return known;
  const struct pn_open *open = find(lib, ncid);
  if (open) known.file = pn_file_at(open->file);
  record_unlock(&pn->lock);
  return known;
}

struct pn_target pn_known_target(const struct pn_library *lib, int ncid, int varid) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  struct pn_target target = {.variable = NULL};
  if (!pn->prepared || !record_lock(&pn->lock)) return target;
  struct pn_open *open = find(lib, ncid);
  const struct pn_member *member = open ? member_of(open, varid, 0) : NULL;
  if (member && member->variable)
    target = (struct pn_target){pn_variable_at(member->variable), *member};
  record_unlock(&pn->lock);
  return target;
}

void pn_remember(const struct pn_library *lib, int ncid, uint32_t file) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  if (!record_lock(&pn->lock)) return;
  struct pn_open *open = find(lib, ncid);
  uint32_t i = place_of(lib, ncid);
  for (uint32_t n = 0; !open && n < PN_OPEN; n++, i = (i + 1) % PN_OPEN)
    if (pn->open[i].library == 0 || pn->open[i].deleted) open = &pn->open[i];
  if (!open) runtime_table_full();
  if (open) *open = (struct pn_open){ncid, lib->common.number, 0, file, NULL};
  record_unlock(&pn->lock);
}

void pn_remember_member(const struct pn_library *lib, int ncid, int varid,
                        const struct pn_member *member) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  if (!record_lock(&pn->lock)) return;
  struct pn_open *open = find(lib, ncid);
  struct pn_member *place = open ? member_of(open, varid, 1) : NULL;
  if (place) *place = *member;
  record_unlock(&pn->lock);
}

/* Removes the slot of an open file, and frees its arrays of variables. The caller holds the
 * lock. */
static void remove_open(struct pn_open *open) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  struct pn_chunk **end = &open->variables;
  while (*end)
    end = &(*end)->next;
  *end = pn->free_chunks;
  pn->free_chunks = open->variables;
  open->variables = NULL;
  open->deleted = 1;
}

void pn_forget(const struct pn_library *lib, int ncid) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  if (!pn->prepared || !record_lock(&pn->lock)) return;
  struct pn_open *open = find(lib, ncid);
  if (open) {
    remove_open(open);
    /* Frees the deleted slots directly before a free slot. */
    uint32_t i = (uint32_t)(open - pn->open);
    while (pn->open[i].deleted && pn->open[(i + 1) % PN_OPEN].library == 0) {
      memset(&pn->open[i], 0, sizeof(pn->open[i]));
      i = (i + PN_OPEN - 1) % PN_OPEN;
    }
  }
  record_unlock(&pn->lock);
}

/* Removes all open files of a library, because it was unloaded and its ids will be reused. */
void pn_forget_all(const struct pn_library *lib) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  if (!pn->prepared || !record_lock(&pn->lock)) return;
  for (uint32_t i = 0; i < PN_OPEN; i++)
    if (pn->open[i].library == lib->common.number && !pn->open[i].deleted)
      remove_open(&pn->open[i]);
  record_unlock(&pn->lock);
}

struct pn_variable *pn_next_variable(const struct pn_library *lib, int ncid, uint32_t *at) {
  struct pnetcdf_state *pn = &pnetcdf_state;
  struct pn_variable *variable = NULL;
  if (!pn->prepared || !record_lock(&pn->lock)) return NULL;
  const struct pn_open *open = find(lib, ncid);
  const struct pn_chunk *chunk = open ? open->variables : NULL;
  for (uint32_t skip = *at / PN_CHUNK; chunk && skip; skip--)
    chunk = chunk->next;
  for (; chunk && !variable; ++*at) {
    uint32_t number = chunk->member[*at % PN_CHUNK].variable;
    if (number) variable = pn_variable_at(number);
    if (*at % PN_CHUNK == PN_CHUNK - 1) chunk = chunk->next;
  }
  record_unlock(&pn->lock);
  return variable;
}

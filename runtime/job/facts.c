/* Functions of the engine interface (door.h): settings that modules read, and losses that modules
 * report. */
#include "../intercept/memory.h"
#include "config/names.h"
#include "mpi-state.h"
#include "runtime.h"

int module_is_on(int module_id) {
  return darshan_module_on(&darshan_config, module_id);
}

uint32_t module_limit(int module_id) {
  return darshan_config.max_records[module_id];
}

int name_is_excluded(int module_id, const char *name, size_t length) {
  return darshan_name_excluded(&darshan_config, module_id, name, length);
}

int name_in_folder_is_excluded(int module_id, const char *name, size_t length,
                               struct name_folder folder) {
  return darshan_name_excluded_in(&darshan_config, module_id, name, length, folder);
}

int64_t mem_alignment(void) {
  return darshan_config.mem_alignment;
}

int hdf5_storage_is_asked(void) {
  return darshan_config.hdf5_storage;
}

int sites_are_asked(void) {
  return darshan_config.sites;
}

int64_t launched_rank(void) {
  const struct darshan_config *config = &darshan_config;
  return config->launched_by && config->launched_size != 1 ? config->launched_rank : -1;
}

int page_faults_are_asked(void) {
  return darshan_config.page_faults;
}

int trace_threads_are_asked(void) {
  return darshan_config.dxt_threads;
}

int trace_threads_are_written(void) {
  return darshan_config.dxt_threads && !mpi_state.without_threads;
}

void trace_triggers(double *small_io, double *unaligned_io) {
  *small_io = darshan_config.small_io_trigger;
  *unaligned_io = darshan_config.unaligned_io_trigger;
}

void runtime_lost_event(int of_another_process) {
  uint64_t *lost = of_another_process ? &lost_state.in_shared_memory : &lost_state.in_handlers;
  __atomic_add_fetch(lost, 1, __ATOMIC_RELAXED);
}

void runtime_table_full(void) {
  __atomic_add_fetch(&lost_state.for_full_tables, 1, __ATOMIC_RELAXED);
}

void runtime_lost_part(void) {
  lost_state.parts = 1;
}

void runtime_has_traces(void) {
  lost_state.has_traces = 1;
}

void *runtime_module_memory(size_t size) {
  void *memory = private_memory(size);
  if (!memory) runtime_lost_part();
  return memory;
}

void record_make_room(enum store_module module) {
  if (LIKELY(darshan_guard == 0 && runtime_phase() == RUNTIME_RECORDING))
    store_make_room(&darshan_store, module);
}

/* The descriptions of describe.h, expanded from the tables. */
#include "describe.h"
#include "merge.h"

#include <string.h>

#define EACH_TABLE "describe-counters.h"
#include "each-table.h"

static const struct darshan_counter no_counters[] = {{NULL, 0, 0, 0, 0, 0, 0, NULL}};

/* Per symbol: fixed size of a record, number of counters and fcounters. */
#define SHAPE_POSIX                                                                                \
  sizeof(struct darshan_posix_record), POSIX_NUM_COUNTERS, POSIX_NUM_FCOUNTERS, posix_counters,    \
      posix_fcounters
#define SHAPE_MPIIO                                                                                \
  sizeof(struct darshan_mpiio_record), MPIIO_NUM_COUNTERS, MPIIO_NUM_FCOUNTERS, mpiio_counters,    \
      mpiio_fcounters
#define SHAPE_STDIO                                                                                \
  sizeof(struct darshan_stdio_record), STDIO_NUM_COUNTERS, STDIO_NUM_FCOUNTERS, stdio_counters,    \
      stdio_fcounters
#define SHAPE_H5F                                                                                  \
  sizeof(struct darshan_h5f_record), H5F_NUM_COUNTERS, H5F_NUM_FCOUNTERS, h5f_counters,            \
      h5f_fcounters
#define SHAPE_H5D                                                                                  \
  sizeof(struct darshan_h5d_record), H5D_NUM_COUNTERS, H5D_NUM_FCOUNTERS, h5d_counters,            \
      h5d_fcounters
#define SHAPE_PNETCDF_FILE                                                                         \
  sizeof(struct darshan_pnetcdf_file_record), PNETCDF_FILE_NUM_COUNTERS,                           \
      PNETCDF_FILE_NUM_FCOUNTERS, pnetcdf_file_counters, pnetcdf_file_fcounters
#define SHAPE_PNETCDF_VAR                                                                          \
  sizeof(struct darshan_pnetcdf_var_record), PNETCDF_VAR_NUM_COUNTERS, PNETCDF_VAR_NUM_FCOUNTERS,  \
      pnetcdf_var_counters, pnetcdf_var_fcounters
#define SHAPE_BGQ                                                                                  \
  sizeof(struct darshan_bgq_record), BGQ_NUM_COUNTERS, BGQ_NUM_FCOUNTERS, bgq_counters,            \
      bgq_fcounters
#define SHAPE_LUSTRE                                                                               \
  sizeof(struct darshan_lustre_head), LUSTRE_COMP_NUM_COUNTERS, LUSTRE_COMP_NUM_FCOUNTERS,         \
      lustre_counters, lustre_fcounters
#define SHAPE_MDHIM                                                                                \
  sizeof(struct darshan_mdhim_head), MDHIM_NUM_COUNTERS, MDHIM_NUM_FCOUNTERS, mdhim_counters,      \
      mdhim_fcounters
#define SHAPE_DFS                                                                                  \
  sizeof(struct darshan_dfs_record), DFS_NUM_COUNTERS, DFS_NUM_FCOUNTERS, dfs_counters,            \
      dfs_fcounters
#define SHAPE_DAOS                                                                                 \
  sizeof(struct darshan_daos_record), DAOS_NUM_COUNTERS, DAOS_NUM_FCOUNTERS, daos_counters,        \
      daos_fcounters
#define SHAPE_POSIX_EXT                                                                            \
  sizeof(struct darshan_posix_ext_record), POSIX_EXT_NUM_COUNTERS, POSIX_EXT_NUM_FCOUNTERS,        \
      posix_ext_counters, posix_ext_fcounters
#define SHAPE_H5_META                                                                              \
  sizeof(struct darshan_h5_meta_record), H5_META_NUM_COUNTERS, H5_META_NUM_FCOUNTERS,              \
      h5_meta_counters, h5_meta_fcounters
#define SHAPE_LAYERS                                                                               \
  sizeof(struct darshan_layers_record), LAYERS_NUM_COUNTERS, LAYERS_NUM_FCOUNTERS,                 \
      layers_counters, layers_fcounters
#define SHAPE_MPIIO_EXT                                                                            \
  sizeof(struct darshan_mpiio_ext_record), MPIIO_EXT_NUM_COUNTERS, MPIIO_EXT_NUM_FCOUNTERS,        \
      mpiio_ext_counters, mpiio_ext_fcounters
#define SHAPE_SHARED                                                                               \
  sizeof(struct darshan_shared_record), SHARED_NUM_COUNTERS, SHARED_NUM_FCOUNTERS,                 \
      shared_counters, shared_fcounters
#define SHAPE_NULL 0, 0, 0, no_counters, no_counters
#define SHAPE_DXT_POSIX sizeof(struct darshan_dxt_head), 0, 0, no_counters, no_counters
#define SHAPE_DXT_MPIIO sizeof(struct darshan_dxt_head), 0, 0, no_counters, no_counters
#define SHAPE_APXC 0, 0, 0, no_counters, no_counters
#define SHAPE_APMPI 0, 0, 0, no_counters, no_counters
#define SHAPE_HEATMAP sizeof(struct darshan_heatmap_head), 0, 0, no_counters, no_counters

#define MODULE(id, SYMBOL, name, PREFIX, version, KIND)                                            \
  {id, name, version, DARSHAN_KIND_##KIND, SHAPE_##SYMBOL},
static const struct darshan_module modules[] = {
#include "modules.def"
};
#undef MODULE

enum { NUM_MODULES = sizeof(modules) / sizeof(modules[0]) };

const struct darshan_module *darshan_module_by_id(int id) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (modules[i].id == id) return &modules[i];
  return NULL;
}

void darshan_merge_plan_make(struct darshan_merge_plan *plan, const struct darshan_module *module) {
  darshan_merge_plan_of(plan, module->id);
  plan->module = module;
}

const struct darshan_module *darshan_module_by_name(const char *name) {
  for (int i = 0; i < NUM_MODULES; i++)
    if (strcmp(modules[i].name, name) == 0) return &modules[i];
  return NULL;
}

const char *darshan_rule_name(enum darshan_rule rule) {
  static const char *const names[] = {"sum",      "sum, -1 if unknown",
                                      "maximum",  "smallest above 0",
                                      "any",      "or",
                                      "top 4",    "top 4",
                                      "maximum",  "goes with maximum",
                                      "fastest",  "slowest",
                                      "variance", "variance"};
  return names[rule];
}

const char *darshan_unit_name(enum darshan_unit unit) {
  static const char *const names[] = {
      "count", "bytes", "byte offset", "seconds", "seconds from start", "elements", "rank",
      "id",    "bits",  "0 or 1",      ""};
  return names[unit];
}

/* Defines the arrays of counter names, from the tables of the modules. */
#include "darshan-logutils.h"

#define lustre_counter_names                                                                       \
  lustre_comp_counter_names /* the table describes a component of a record */
#define bgq_node_counter_names bgq_counter_names
#define bgq_node_f_counter_names bgq_f_counter_names
#define EACH_TABLE "name-arrays.h"
#include "modules.def"

char *apmpi_f_mpi_global_counter_names[] = {"MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME",
                                            "APMPI_F_MPI_GLOBAL_NUM_INDICES", NULL};

/* Checks that the structs have the same size as the records; they are made from the same tables, so
 * the members after the counters must also agree. */
#define SAME(name, tag)                                                                            \
  static_assert(sizeof(struct darshan_##name) == sizeof(struct darshan_##tag##_record), "same")
SAME(posix_file, posix);
SAME(stdio_file, stdio);
SAME(mpiio_file, mpiio);
SAME(hdf5_file, h5f);
SAME(hdf5_dataset, h5d);
SAME(pnetcdf_file, pnetcdf_file);
SAME(pnetcdf_var, pnetcdf_var);
SAME(bgq_record, bgq_node);
SAME(dfs_file, dfs);
SAME(daos_object, daos);

/* Every table of counters, once: define EACH_TABLE as the header that is to be
 * included for each, with RECORD_PREFIX, RECORD_TAG and RECORD_ROWS defined. */
#define RECORD_PREFIX POSIX
#define RECORD_TAG posix
#define RECORD_ROWS "records/posix.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX MPIIO
#define RECORD_TAG mpiio
#define RECORD_ROWS "records/mpiio.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX STDIO
#define RECORD_TAG stdio
#define RECORD_ROWS "records/stdio.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX H5F
#define RECORD_TAG h5f
#define RECORD_ROWS "records/h5f.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX H5D
#define RECORD_TAG h5d
#define RECORD_ROWS "records/h5d.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX PNETCDF_FILE
#define RECORD_TAG pnetcdf_file
#define RECORD_ROWS "records/pnetcdf-file.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX PNETCDF_VAR
#define RECORD_TAG pnetcdf_var
#define RECORD_ROWS "records/pnetcdf-var.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX BGQ
#define RECORD_TAG bgq
#define RECORD_ROWS "records/bgq.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX LUSTRE_COMP
#define RECORD_TAG lustre
#define RECORD_ROWS "records/lustre.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX MDHIM
#define RECORD_TAG mdhim
#define RECORD_ROWS "records/mdhim.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX DFS
#define RECORD_TAG dfs
#define RECORD_ROWS "records/dfs.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX DAOS
#define RECORD_TAG daos
#define RECORD_ROWS "records/daos.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX POSIX_EXT
#define RECORD_TAG posix_ext
#define RECORD_ROWS "records/posix-ext.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX H5_META
#define RECORD_TAG h5_meta
#define RECORD_ROWS "records/h5-meta.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX LAYERS
#define RECORD_TAG layers
#define RECORD_ROWS "records/layers.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX MPIIO_EXT
#define RECORD_TAG mpiio_ext
#define RECORD_ROWS "records/mpiio-ext.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#define RECORD_PREFIX SHARED
#define RECORD_TAG shared
#define RECORD_ROWS "records/shared.def"
#include EACH_TABLE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
#undef EACH_TABLE

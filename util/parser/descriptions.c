/* Prints the meaning of a module's counters, which is in the counter tables. */
#include "print-log.h"

#include <string.h>

/* Prints "name: meaning" for each counter of the newest record. rows: a counter table, which ends
 * with an empty name. meaning: the rows' texts, one after another, each with its NUL. */
static void print_meanings(struct output *out, const struct darshan_counter *rows,
                           const char *meaning) {
  for (const struct darshan_counter *row = rows; row->name[0]; row++) {
    if (row->index >= 0) output_printf(out, "#   %s: %s\n", row->name, meaning);
    meaning += strlen(meaning) + 1;
  }
}

/* Prints the counters that records of this version lack, with the value that is shown for them. */
static void print_missing(struct output *out, const struct darshan_counter *rows, int version) {
  for (const struct darshan_counter *row = rows; row->name[0]; row++)
    if (row->index >= 0 && row->since > version)
      output_printf(out, "#   %s: not recorded, shown as %d\n", row->name, row->absent);
}

/* Returns the description of rows whose number varies, so that the tables do not contain them; NULL
 * if the module has no such rows. */
static const char *more_rows(const struct darshan_module *module) {
  if (module->id == DARSHAN_MOD_MPIWAIT)
    return "#   MPIWAIT_F_BIN_WIDTH_SECONDS: length of a time bin\n"
           "#   MPIWAIT_MESSAGE_BIN_<i>: nanoseconds in which the rank waited for single other\n"
           "#     ranks (messages, windows) in bin i = 0, 1, ...\n"
           "#   MPIWAIT_COLLECTIVE_BIN_<i>: the same in collective calls, for all ranks of a\n"
           "#     communicator\n";
  if (module->id == DARSHAN_MOD_TRAINING_TIME)
    return "#   TRAINING_TIME_F_BIN_WIDTH_SECONDS: length of a time bin\n"
           "#   TRAINING_TIME_WHOLE_BIN_<i>, TRAINING_TIME_PART_BIN_<i>: milliseconds of a kind "
           "of\n"
           "#     time in bin i = 0, 1, ..., and of a part of it. heatmap:epochs: epochs, and "
           "waits\n"
           "#     for data; heatmap:batches: making batches, and calls on files;\n"
           "#     heatmap:processors: ready to run meanwhile, outside of these calls, and without\n"
           "#     a processor. The names of a worker end with its number\n";
  switch (module->kind) {
  case DARSHAN_KIND_FILE_COUNTERS:
    return "#   *_FILE_REC_ID: id of the record of the file that holds it\n";
  case DARSHAN_KIND_LUSTRE:
    return "#   LUSTRE_NUM_COMPONENTS, LUSTRE_NUM_STRIPES: components and stripes of all\n"
           "#   LUSTRE_COMP<k>_<field>: the fields above, of component k = 1, 2, ...\n"
           "#   LUSTRE_COMP<k>_POOL_NAME: storage pool\n"
           "#   LUSTRE_COMP<k>_OST_ID_<j>: storage targets of component k\n";
  case DARSHAN_KIND_HEATMAP:
    return "#   HEATMAP_F_BIN_WIDTH_SECONDS: length of a time bin\n"
           "#   HEATMAP_READ_BIN_<i>, HEATMAP_WRITE_BIN_<i>: bytes moved in bin i = 0, 1, ...\n";
  case DARSHAN_KIND_MDHIM:
    return "#   MDHIM_SERVER_<i>: operations that server i took\n";
  case DARSHAN_KIND_APMPI:
    return "#   MPI_PROCESSOR_NAME: node of the rank\n"
           "#   MPI_<call>_CALL_COUNT: calls of MPI_<call>\n"
           "#   MPI_<call>_TOTAL_BYTES, MPI_<call>_MSG_SIZE_AGG_*: bytes of their messages, and\n"
           "#     how many messages were of which size\n"
           "#   MPI_<call>_TOTAL_TIME, _MIN_TIME, _MAX_TIME: seconds of all, the shortest, the\n"
           "#     longest call\n"
           "#   MPI_<call>_TOTAL_SYNC_TIME: seconds of waiting for other ranks, if measured\n"
           "#   MPI_TOTAL_COMM_TIME, MPI_TOTAL_COMM_SYNC_TIME: of all calls; *_VARIANCE: over\n"
           "#     all ranks\n";
  default:
    return "";
  }
}

/* Prints limits of a record version that affect single values, not whole counters. */
static void print_limits(struct output *out, const struct darshan_module *module, int version) {
  if (module->id == DARSHAN_MOD_MPIIO && version == 1)
    output_text(out, "#   MPIIO_F_WRITE_START_TIMESTAMP may be inaccurate in this version\n");
  if (module->id == DARSHAN_MOD_POSIX && version == 1)
    output_text(out, "#   records of streams are left out: they have a module of their own now\n");
  if (module->kind == DARSHAN_KIND_LUSTRE && version == 1)
    output_text(
        out,
        "#   a file is one component; of it, pattern, flags and pool were not recorded, shown\n"
        "#   as N/A, and neither was the mirror, shown as -1\n");
}

void descriptions_print(struct output *out, const struct darshan_module *module, int version) {
  output_printf(out, "\n# description of %s counters:\n", module->name);
  print_meanings(out, module->counters, module->meanings);
  print_meanings(out, module->fcounters, module->fmeanings);
  output_text(out, more_rows(module));
  if (version < module->version) output_printf(out, "# limits of record version %d:\n", version);
  if (module->kind != DARSHAN_KIND_LUSTRE) { /* the table describes components, not records */
    print_missing(out, module->counters, version);
    print_missing(out, module->fcounters, version);
  }
  print_limits(out, module, version);
}

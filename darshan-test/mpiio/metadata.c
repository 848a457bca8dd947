/* MPI-IO calls that transfer no data. */
#include "program.h"

#include <unistd.h>

/* Sets, preallocates and queries the size of a file. Does nothing if there are several ranks of
 * Open MPI: in its version 4.1, a late rank skips a broadcast after another rank wrote, and a later
 * open hangs. */
static void sizes(struct target *target) {
  MPI_Offset size;
#ifdef OPEN_MPI
  if (ranks > 1) return;
#endif
  CHECK(MPI_File_set_size(target->fh, 3000));
  note(target, "ext SET_SIZES 1");
  covered("MPI_File_set_size");
  CHECK(MPI_File_preallocate(target->fh, 5000));
  note(target, "ext PREALLOCATES 1");
  covered("MPI_File_preallocate");
  CHECK(MPI_File_get_size(target->fh, &size));
  note(target, "ext GET_SIZES 1");
  covered("MPI_File_get_size");
}

/* Writes at the file pointer. byte: expected offset in the traces; -1: unknown. */
static void write_where_it_is(struct target *target, int ints, long long byte) {
  MPI_Status status;
  CHECK(MPI_File_write(target->fh, data, ints, MPI_INT, &status));
  note(target, "transfer 1 INDEP INDIVIDUAL %d %d %lld", 4 * ints, 4 * ints, byte);
}

/* Makes each kind of seek, and then a write whose traced offset shows whether the runtime knows the
 * file pointer. */
static void seeks(struct target *target) {
  static const struct {
    MPI_Offset by;
    int from;
  } ways[] = {{100, MPI_SEEK_SET}, {-5, MPI_SEEK_CUR}, {3, MPI_SEEK_END}};
  CHECK(MPI_File_sync(target->fh));
  note(target, "count SYNCS 1");
  covered("MPI_File_sync");
  for (int i = 0; i < 3; i++) {
    MPI_Offset at;
    MPI_Barrier(MPI_COMM_WORLD); /* all ranks have the same end of file */
    CHECK(MPI_File_seek(target->fh, ways[i].by, ways[i].from));
    note(target, "ext SEEKS 1");
    CHECK(MPI_File_get_position(target->fh, &at));
    MPI_Barrier(MPI_COMM_WORLD);
    write_where_it_is(target, 10, 64 + 4 * at);
  }
  covered("MPI_File_seek");
  CHECK(MPI_File_seek_shared(target->fh, 0, MPI_SEEK_SET));
  note(target, "ext SHARED_SEEKS 1");
  covered("MPI_File_seek_shared");
}

/* Sets and queries hints. */
static void hints(struct target *target) {
  MPI_Info info;
  CHECK(MPI_Info_create(&info));
  CHECK(MPI_Info_set(info, "cb_nodes", "1"));
  CHECK(MPI_File_set_info(target->fh, info));
  note(target, "count HINTS 1");
  note(target, "ext INFO_SETS 1");
  covered("MPI_File_set_info");
  CHECK(MPI_File_set_view(target->fh, 64, MPI_INT, MPI_INT, "native", info));
  note(target, "view 1");
  covered("MPI_File_set_view");
  CHECK(MPI_Info_free(&info));
}

/* Sets atomicity and resets it; does nothing if there are several ranks of Open MPI. The MPI-IO of
 * version 4.1 rejects the call on all ranks except rank 0, and the next open hangs. */
static void atomicity(struct target *target) {
#ifdef OPEN_MPI
  if (ranks > 1) return;
#endif
  CHECK(MPI_File_set_atomicity(target->fh, 1));
  CHECK(MPI_File_set_atomicity(target->fh, 0));
  note(target, "ext ATOMICITY_SETS 2");
  note(target, "flag ATOMIC");
  covered("MPI_File_set_atomicity");
}

/* Makes all such calls on one file. */
static void one_file(void) {
  struct target target = {.name = "metadata"};
  open_file(&target, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  hints(&target);
  sizes(&target);
  seeks(&target);
  atomicity(&target);
  close_file(&target);
  covered("MPI_File_open");
  covered("MPI_File_close");
}

/* Opens a separate file on each rank, with hints: once to create it, and once with the file pointer
 * at its end; closes it each time. */
static void own_file(void) {
  static const char *const names[] = {"own.0", "own.1", "own.2", "own.3"};
  struct target target = {.name = names[rank % 4]};
  MPI_Info info;
  CHECK(MPI_Info_create(&info));
  CHECK(MPI_Info_set(info, "cb_nodes", "1"));
  CHECK(MPI_File_open(MPI_COMM_SELF, target.name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_EXCL,
                      info, &target.fh));
  note(&target, "open 1 69 1");
  write_where_it_is(&target, 25, 0);
  close_file(&target);
  CHECK(MPI_File_open(MPI_COMM_SELF, target.name, MPI_MODE_WRONLY | MPI_MODE_APPEND, info,
                      &target.fh));
  note(&target, "open 1 132 1");
  write_where_it_is(&target, 25, 100);
  close_file(&target);
  CHECK(MPI_Info_free(&info));
}

/* Uses a view with holes, in which the runtime knows offsets only at the start of a filetype. */
static void holes(void) {
  struct target target = {.name = "holes"};
  MPI_Datatype vector, type;
  MPI_Aint spread = 256;
  CHECK(MPI_Type_vector(2, 4, 16, MPI_INT, &vector)); /* 32 bytes of data */
  CHECK(MPI_Type_create_resized(vector, 0, spread, &type));
  CHECK(MPI_Type_commit(&type));
  open_file(&target, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  CHECK(
      MPI_File_set_view(target.fh, 1000 + 16 * (rank % 4), MPI_INT, type, "native", MPI_INFO_NULL));
  note(&target, "view 0");
  write_where_it_is(&target, 16, 1000 + 16 * (rank % 4));             /* two filetypes */
  write_where_it_is(&target, 3, 1000 + 16 * (rank % 4) + 2 * spread); /* not a whole filetype */
  write_where_it_is(&target, 5, -1);
  write_where_it_is(&target, 8, 1000 + 16 * (rank % 4) + 3 * spread);
  close_file(&target);
  CHECK(MPI_Type_free(&vector));
  CHECK(MPI_Type_free(&type));
}

/* Deletes a file that was opened, and one that was not. */
static void deletes(void) {
  struct target known = {.name = "deleted"}, unknown = {.name = "never-opened"};
  open_file(&known, MPI_MODE_CREATE | MPI_MODE_RDWR, 9);
  close_file(&known);
  fill(unknown.name);
  if (rank == 0) {
    CHECK(MPI_File_delete(known.name, MPI_INFO_NULL));
    CHECK(MPI_File_delete(unknown.name, MPI_INFO_NULL));
    note(&known, "ext DELETES 1");
    note(&unknown, "ext DELETES 1");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  covered("MPI_File_delete");
}

/* Makes an open and a write that fail, and that must not change any counter. */
static void failures(void) {
  struct target target = {.name = "failures"};
  MPI_Status status;
  MPI_File none;
  fill(target.name);
  if (MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &none) ==
      MPI_SUCCESS)
    check(1, "an open that must fail");
  open_file(&target, MPI_MODE_RDONLY, 2);
  if (MPI_File_write_at(target.fh, 0, data, 10, MPI_BYTE, &status) == MPI_SUCCESS)
    check(1, "a write that must fail");
  close_file(&target);
}

void all_metadata(void) {
  one_file();
  holes();
  deletes();
  failures();
  own_file();
}

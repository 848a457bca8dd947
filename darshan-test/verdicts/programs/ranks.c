/* Cases of MPI jobs in C: ranks CASE [cured]. */
#include "job.h"

#include <fcntl.h>
#include <unistd.h>

static int rank, ranks;
static char room[8 << 20];
enum { WRITING = MPI_MODE_CREATE | MPI_MODE_WRONLY };

static MPI_File opened(const char *name, int mode) {
  MPI_File file;
  /* blame: open-each-step */
  must(!MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file), name);
  return file;
}

static int made(const char *name) {
  int fd = open(name, O_CREAT | O_RDWR, 0644); /* blame: file-each-step */
  must(fd >= 0, name);
  return fd;
}

/* Writes or reads with a file view of every n-th piece: one collective call for all pieces. */
static void together(bool reads, int pieces, int size) {
  MPI_File file = opened(reads ? "input" : "mesh", reads ? MPI_MODE_RDONLY : WRITING);
  MPI_Datatype type;
  MPI_Type_vector(pieces, size, size * ranks, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)rank * size, MPI_BYTE, type, "native", MPI_INFO_NULL);
  if (reads)
    MPI_File_read_at_all(file, 0, room, pieces * size, MPI_BYTE, MPI_STATUS_IGNORE);
  else
    MPI_File_write_at_all(file, 0, room, pieces * size, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void independent_writes(bool cured) {
  enum { PIECES = 1500, SIZE = 512 };
  if (cured) {
    together(false, PIECES, SIZE);
    return;
  }
  MPI_File file = opened("mesh", WRITING);
  for (int i = 0; i < PIECES; i++)
    /* blame: independent-writes */
    MPI_File_write_at(file, ((MPI_Offset)i * ranks + rank) * SIZE, room, SIZE, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void independent_reads(bool cured) {
  enum { PIECES = 1500, SIZE = 512 };
  if (cured) {
    together(true, PIECES, SIZE);
    return;
  }
  MPI_File file = opened("input", MPI_MODE_RDONLY);
  for (int i = 0; i < PIECES; i++)
    /* blame: independent-reads */
    MPI_File_read_at(file, ((MPI_Offset)i * ranks + rank) * SIZE, room, SIZE, MPI_BYTE,
                     MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Makes collective calls for eight bytes of each rank; cured: one call for all. */
static void tiny_collective(bool cured) {
  enum { PIECES = 250, SIZE = 8 };
  if (cured) {
    together(false, PIECES, SIZE);
    return;
  }
  MPI_File file = opened("mesh", WRITING);
  for (int i = 0; i < PIECES; i++)
    /* blame: tiny-collective */
    MPI_File_write_at_all(file, ((MPI_Offset)i * ranks + rank) * SIZE, room, SIZE, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void posix_shared(bool cured) {
  enum { PIECES = 1500, SIZE = 512 };
  if (cured) {
    together(false, PIECES, SIZE);
    return;
  }
  int fd = made("mesh");
  for (int i = 0; i < PIECES; i++)
    /* blame: posix-shared */
    must(pwrite(fd, room, SIZE, ((off_t)i * ranks + rank) * SIZE) == SIZE, "pwrite");
  close(fd);
}

/* Rank 0 collects and writes 256 MiB; the others wait. */
static void rank_zero(bool cured) {
  char name[40];
  snprintf(name, sizeof name, "out.%d", rank);
  int blocks = cured ? 32 / ranks : 32;
  if (cured || rank == 0) {
    int fd = made(name);
    for (int i = 0; i < blocks; i++)
      must(write(fd, room, 8 << 20) == 8 << 20, "write"); /* blame: rank-zero */
    close(fd);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 reads 64 MB and sends each rank its part; the others wait. */
static void zero_reads(bool cured) {
  enum { PIECE = 128 << 10, PIECES = 512 };
  static char part[PIECE * PIECES / 2];
  int own = PIECES / ranks, first = cured ? rank * own : 0, end = cured ? first + own : PIECES;
  char *whole = malloc((size_t)PIECE * PIECES);
  must(whole != NULL, "memory");
  if (cured || rank == 0) {
    int fd = open("input", O_RDONLY);
    for (int i = first; i < end; i++)
      /* blame: zero-reads */
      must(pread(fd, whole + (size_t)i * PIECE, PIECE, (off_t)i * PIECE) == PIECE, "pread");
    close(fd);
  }
  if (!cured)
    MPI_Scatter(whole, own * PIECE, MPI_BYTE, part, own * PIECE, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  free(whole);
}

/* Rank 0 reads a few bytes at a time, and sends them to the others, who wait. */
static void zero_values(bool cured) {
  enum { PIECE = 64, PIECES = 3000 };
  if (rank == 0) {
    int fd = open("input", O_RDONLY);
    if (cured) must(read(fd, room, PIECE * PIECES) == PIECE * PIECES, "read");
    for (int i = 0; !cured && i < PIECES; i++)
      /* blame: zero-values */
      must(read(fd, room + (size_t)i * PIECE, PIECE) == PIECE, "read");
    close(fd);
  }
  MPI_Bcast(room, PIECE * PIECES, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* The ranks write their parts of a file one after another. */
static void in_turn(bool cured) {
  enum { PIECE = 1 << 20, PIECES = 72 };
  int fd = open("mesh", O_CREAT | O_WRONLY, 0644);
  for (int turn = 0; turn < ranks; turn++) {
    if (cured ? turn == 0 : turn == rank)
      for (int i = 0; i < PIECES; i++)
        /* blame: in-turn */
        must(pwrite(fd, room, PIECE, ((off_t)rank * PIECES + i) * PIECE) == PIECE, "pwrite");
    if (!cured) MPI_Barrier(MPI_COMM_WORLD);
  }
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Opens and returns the file with which a rank sends a value to another. */
static FILE *message(int from, int to, const char *mode) {
  char name[40];
  snprintf(name, sizeof name, "halo.%d.%d", from, to);
  FILE *file = fopen(name, mode); /* blame: halo-by-files */
  must(file != NULL, name);
  return file;
}

/* Each rank writes a file at each step, which the next rank reads; cured: they exchange messages.
 */
static void halo_by_files(bool cured) {
  int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int step = 0; step < 400; step++) {
    double edge = step, halo = -1;
    if (cured) {
      MPI_Sendrecv(&edge, 1, MPI_DOUBLE, to, 0, &halo, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      continue;
    }
    FILE *file = message(rank, to, "wb");
    must(fwrite(&edge, sizeof edge, 1, file) == 1 && fclose(file) == 0, "write");
    MPI_Barrier(MPI_COMM_WORLD);
    file = message(from, rank, "rb");
    must(fread(&halo, sizeof halo, 1, file) == 1 && fclose(file) == 0, "read");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Each rank reads columns through a view with pieces of 8 bytes; cured: rows, and MPI_Alltoall. */
static void columns_by_view(bool cured) {
  enum { ROWS = 1 << 18 };
  MPI_File file = opened("input", MPI_MODE_RDONLY);
  if (cured) {
    size_t part = (size_t)ROWS * 8;
    MPI_File_read_at(file, (MPI_Offset)(rank * part), room, (int)part, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, room, (int)part / ranks, MPI_BYTE, MPI_COMM_WORLD);
  } else {
    MPI_Datatype type;
    MPI_Type_vector(ROWS, 1, ranks, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)rank * 8, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
    for (int again = 0; again < 6; again++)
      /* blame: columns-by-view */
      MPI_File_read_at(file, 0, room, ROWS, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
  MPI_File_close(&file);
}

/* Each rank writes a file; the last one has the remainder, which is most of the data. */
static void left_over(bool cured) {
  char name[40];
  snprintf(name, sizeof name, "out.%d", rank);
  int fd = made(name), blocks = cured ? 8 : rank == ranks - 1 ? 23 : 3;
  for (int i = 0; i < blocks; i++)
    must(write(fd, room, 8 << 20) == 8 << 20, "write"); /* blame: left-over */
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Every rank reads the whole input. */
static void all_read_all(bool cured) {
  for (int i = 0; i < 6; i++) {
    if (!cured || rank == 0) {
      int fd = open("input", O_RDONLY);
      for (int j = 0; j < 2048; j++)
        must(read(fd, room + j * 4096, 4096) == 4096, "read"); /* blame: all-read-all */
      close(fd);
    }
    if (cured) {
      MPI_Bcast(room, 8 << 20, MPI_BYTE, 0, MPI_COMM_WORLD);
      break;
    }
  }
}

static void file_each_step(bool cured) {
  for (int step = 0; step < 400; step++) {
    char name[40];
    snprintf(name, sizeof name, "out.%d.%d", rank, cured ? 0 : step);
    if (cured && step) break;
    int fd = made(name);
    must(write(fd, room, 2000) == 2000 && close(fd) == 0, name);
  }
}

static void open_each_step(bool cured) {
  MPI_File file = cured ? opened("mesh", WRITING) : MPI_FILE_NULL;
  for (int step = 0; step < 60; step++) {
    if (!cured) file = opened("mesh", WRITING);
    MPI_File_write_at(file, ((MPI_Offset)step * ranks + rank) << 14, room, 1 << 14, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    if (!cured) MPI_File_close(&file);
  }
  if (cured) MPI_File_close(&file);
}

static void sync_each(bool cured) {
  MPI_File file = opened("mesh", WRITING);
  for (int step = 0; step < 60; step++) {
    MPI_File_write_at(file, ((MPI_Offset)step * ranks + rank) << 16, room, 1 << 16, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    if (!cured) MPI_File_sync(file); /* blame: sync-each */
  }
  MPI_File_close(&file);
}

/* The last rank computes longer before each collective call. */
static void late_rank(bool cured) {
  MPI_File file = opened("mesh", WRITING);
  for (int step = 0; step < 8; step++) {
    if (cured || rank == ranks - 1) usleep(cured ? 80000 / (unsigned)ranks : 80000);
    /* blame: late-rank */
    MPI_File_write_at_all(file, ((MPI_Offset)step * ranks + rank) << 20, room, 1 << 20, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

/* Every rank looks up every file, like the start of a program with many modules. */
static void all_ask(bool cured) {
  for (int i = 0; i < (cured && rank ? 0 : 600); i++) {
    char name[40];
    snprintf(name, sizeof name, "many/%d", i);
    int fd = open(name, O_RDONLY); /* blame: all-ask */
    must(fd >= 0 && read(fd, room, 500) > 0 && close(fd) == 0, name);
  }
  MPI_Bcast(room, 300000, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Rank 3 writes most of a file's bytes. */
static void uneven_shared(bool cured) {
  enum { SIZE = 128 << 10, MOST = 2400, FEW = 20 };
  int pieces = cured ? (MOST + 3 * FEW) / 4 : rank == 3 ? MOST : FEW;
  MPI_File file = opened("mesh", WRITING);
  for (int i = 0; i < pieces; i++)
    /* blame: uneven-shared */
    MPI_File_write_at(file, ((MPI_Offset)rank * MOST + i) * SIZE, room, SIZE, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Hints from another machine turn off collective buffering. */
static void hints_off(bool cured) {
  enum { PIECES = 3000, SIZE = 512 };
  MPI_Info info;
  MPI_Datatype type;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_ds_write", "disable");
  MPI_Info_set(info, "romio_cb_write", cured ? "enable" : "disable");
  MPI_File file;
  must(!MPI_File_open(MPI_COMM_WORLD, "mesh", WRITING, info, &file), "mesh");
  MPI_Type_vector(PIECES, SIZE, SIZE * ranks, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)rank * SIZE, MPI_BYTE, type, "native", info);
  MPI_File_write_all(file, room, PIECES * SIZE, MPI_BYTE, MPI_STATUS_IGNORE); /* blame: hints-off */
  MPI_File_close(&file);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
}

/* --- healthy ------------------------------------------------------------------ */

static void large_collective(bool cured) {
  (void)cured;
  MPI_File file = opened("mesh", WRITING);
  for (int step = 0; step < 4; step++)
    MPI_File_write_at_all(file, ((MPI_Offset)step * ranks + rank) * (4 << 20), room, 4 << 20,
                          MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void large_independent(bool cured) {
  (void)cured;
  MPI_File file = opened("mesh", WRITING);
  for (int step = 0; step < 4; step++)
    MPI_File_write_at(file, ((MPI_Offset)rank * 4 + step) * (8 << 20), room, 8 << 20, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void file_per_rank(bool cured) {
  (void)cured;
  left_over(true);
}

/* The last rank computes longer than the others, which wait; rank 0 does little I/O in this time.
 * cured: unused. */
static void one_computes(bool cured) {
  (void)cured;
  double begun = MPI_Wtime();
  if (rank == 0) {
    int fd = made("settings");
    must(write(fd, room, 4096) == 4096 && close(fd) == 0, "settings");
  }
  for (volatile long i = 0; rank == ranks - 1 && MPI_Wtime() - begun < 1.2;)
    i++;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void read_and_tell(bool cured) {
  (void)cured;
  if (rank == 0) {
    int fd = open("input", O_RDONLY);
    must(read(fd, room, 4096) == 4096, "input");
    close(fd);
  }
  MPI_Bcast(room, 4096, MPI_BYTE, 0, MPI_COMM_WORLD);
  usleep(300000);
  file_per_rank(false);
}

/* Each rank reads its own part. cured: unused. */
static void parts_read(bool cured) {
  (void)cured;
  MPI_File file = opened("input", MPI_MODE_RDONLY);
  for (int i = 0; i < 4; i++)
    MPI_File_read_at(file, ((MPI_Offset)rank * 4 + i) << 21, room, 1 << 21, MPI_BYTE,
                     MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Writes every n-th piece of a file with one call. cured: unused. */
static void file_view(bool cured) {
  (void)cured;
  together(false, 1024, 4096);
}

/* All ranks read a small file. cured: unused. */
static void settings_by_all(bool cured) {
  (void)cured;
  int fd = open("input", O_RDONLY);
  must(fd >= 0 && read(fd, room, 1 << 16) == 1 << 16 && close(fd) == 0, "input");
  usleep(200000);
}

/* Each rank writes its own checkpoint in large pieces, and its own log in small pieces. */
static void own_files(bool cured) {
  char name[40];
  snprintf(name, sizeof name, "checkpoint%d", rank);
  int fd = made(name);
  for (int i = 0; i < 4; i++)
    must(write(fd, room, 4 << 20) == 4 << 20, name);
  close(fd);
  snprintf(name, sizeof name, "log%d", rank);
  fd = made(name);
  for (int i = 0, pieces = cured ? 1 : 1500; i < pieces; i++)
    must(write(fd, room, (size_t)(300000 / pieces)) > 0, name);
  close(fd);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"independent-writes", independent_writes},
      {"independent-reads", independent_reads},
      {"tiny-collective", tiny_collective},
      {"posix-shared", posix_shared},
      {"rank-zero", rank_zero},
      {"zero-reads", zero_reads},
      {"zero-values", zero_values},
      {"in-turn", in_turn},
      {"halo-by-files", halo_by_files},
      {"columns-by-view", columns_by_view},
      {"left-over", left_over},
      {"all-read-all", all_read_all},
      {"file-each-step", file_each_step},
      {"open-each-step", open_each_step},
      {"sync-each", sync_each},
      {"late-rank", late_rank},
      {"all-ask", all_ask},
      {"uneven-shared", uneven_shared},
      {"hints-off", hints_off},
      {"large-collective", large_collective},
      {"large-independent", large_independent},
      {"file-per-rank", file_per_rank},
      {"one-computes", one_computes},
      {"read-and-tell", read_and_tell},
      {"parts-read", parts_read},
      {"file-view", file_view},
      {"settings-by-all", settings_by_all},
      {"own-files", own_files},
      {NULL, NULL},
  };
  return run_job(argc, argv, cases, &rank, &ranks);
}

/* A small MPI job: every rank writes its own file, and all ranks write a shared file; then the job
 * ends as END says: job END FOLDER.
 *
 * Rank r writes 1000 * (r + 1) bytes to FOLDER/own-r and 100 bytes to FOLDER/shared. With "idle" it
 * writes nothing. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the library has sessions. Open MPI 5 has them, but not all of MPI 4. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_SESSIONS 1
#else
#define HAS_SESSIONS 0
#endif

static int rank, size;
static const char *end, *folder;

/* Returns whether END is this word. */
static int is(const char *word) {
  return strcmp(end, word) == 0;
}

/* Writes bytes to a file of FOLDER at an offset; ends the program on failure. */
static void put(const char *name, size_t bytes, off_t at) {
  char path[4096], data[64 * 1024];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  memset(data, 'x', bytes);
  if (fd < 0 || pwrite(fd, data, bytes, at) != (ssize_t)bytes) exit(90);
  close(fd);
}

/* Writes the rank's own file and its part of the shared file; see the head of this file. */
static void work(void) {
  char own[32];
  if (is("idle")) return;
  snprintf(own, sizeof(own), "own-%d", rank);
  put(own, 1000 * (size_t)(rank + 1), 0);
  put("shared", 100, 100 * rank);
}

/* Writes 8 bytes three times from each rank to FOLDER/together by MPI-IO, independently and each at
 * its own offset. */
static void write_with_mpi(void) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof(path), "%s/together", folder);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  for (int i = 0; i < 3; i++)
    MPI_File_write_at(file, 8 * (3 * rank + i), "12345678", 8, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Forks a child that writes 10 bytes to a file, and waits for it. */
static void child_writes(void) {
  char name[32];
  pid_t child = fork();
  if (child == 0) {
    snprintf(name, sizeof(name), "child-%d", rank);
    put(name, 10, 0);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

#if HAS_SESSIONS
/* Runs the job by an MPI session, without MPI_Init. */
static void session_job(void) {
  MPI_Session session;
  MPI_Group group;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) exit(91);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &rank);
  MPI_Group_size(group, &size);
  MPI_Group_free(&group);
  work();
  MPI_Session_finalize(&session);
  printf("rank %d of %d\n", rank, size);
}
#endif

static void begin(int *argc, char ***argv) {
  int provided;
  if (is("early")) put("early", 7, 0);
  if (is("thread"))
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  end = argv[1];
  folder = argv[2];
#if HAS_SESSIONS
  if (is("session")) {
    session_job();
    return 0;
  }
#endif
  if (is("session")) puts("an ordinary job: this MPI has no sessions");
  begin(&argc, &argv);
  work();
  if (is("fork")) child_writes();
  if (is("mpiio")) write_with_mpi();
  MPI_Barrier(MPI_COMM_WORLD);
  if (is("exit")) exit(0);
  if (is("left") && rank > 0) exit(0);
  if (is("left")) pause();                                    /* until the launcher ends it */
  if (is("exec")) execl("/no/such/program", "program", NULL); /* fails and continues */
  if (is("replaced")) execlp("true", "true", NULL);
  if (is("killed") && rank == size - 1) kill(getpid(), SIGKILL);
  if (is("abort") && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (is("killed") || is("abort")) pause();
  MPI_Finalize();
  if (is("afterwards")) put("afterwards", 5, 5 * rank);
  printf("rank %d of %d\n", rank, size);
  return 0;
}

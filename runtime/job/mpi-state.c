#include "mpi-state.h"

#include <string.h>

#include "../intercept/linked.h"
#include "../intercept/loader.h"
#include "config.h"
#include "mpi-frames.h"

struct mpi_state mpi_state;

/* An object whose file is called libmpi, libmpich or the like. */
static int is_called_mpi(struct dl_phdr_info *object, size_t size, void *unused) {
  const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
  (void)size, (void)unused;
  return slash && strstr(slash, "mpi") != NULL;
}

int mpi_may_come(void) {
  /* One that is not wrapped: in another library, or nowhere. */
  static const char name[] = "PMPI_Comm_rank";
  if (darshan_config.launcher) return 0;
  if (darshan_config.launched_size > 0 || linked_function("PMPI_Init")) return 1;
  /* Most processes have none, and a search in vain takes memory for its words. */
  if (!loader_is_there() || !dl_iterate_phdr(is_called_mpi, NULL)) return 0;
  void *volatile found = dlsym(RTLD_DEFAULT, name);
  if (!found && dlerror) dlerror(); /* what the program asks next is its own */
  return found != NULL;
}

void mpi_forked(void) {
  struct mpi_state *mpi = &mpi_state;
  if (mpi->phase == MPI_NOT_YET) return;
  mpi->phase = MPI_FINISHED;
  mpi->rank = 0;
  mpi->size = 1;
  mpi->has_comm = 0;
  mpi->version[0] = '\0';
}

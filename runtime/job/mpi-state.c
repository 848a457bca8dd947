/* The state of the MPI job, and the test whether this process may become a rank. */
#include "mpi-state.h"

#include <string.h>

#include "../intercept/loader/linked.h"
#include "../intercept/loader/loader.h"
#include "config/config.h"

struct mpi_state mpi_state;

/* Returns 1 for an object whose file name contains "mpi", like libmpi and libmpich. Otherwise
 * returns 0. */
static int is_called_mpi(struct dl_phdr_info *object, size_t size, void *unused) {
  const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
  (void)size, (void)unused;
  return slash && strstr(slash, "mpi") != NULL;
}

int mpi_may_come(void) {
  /* The runtime has no wrapper of PMPI_Comm_rank. So if dlsym finds it, another library defines
   * it. */
  static const char name[] = "PMPI_Comm_rank";
  if (darshan_config.launcher) return 0;
  if (darshan_config.launched_size > 0 || linked_function("PMPI_Init")) return 1;
  /* Searches loaded libraries by name first: most processes have no MPI library, and a failed dlsym
   * allocates memory for its message. */
  if (!loader_is_there() || !dl_iterate_phdr(is_called_mpi, NULL)) return 0;
  void *volatile found = dlsym(RTLD_DEFAULT, name);
  if (!found && dlerror) dlerror(); /* the application must not see this error */
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

/* Determines the MPI library's flavour and queries the library (mpi.h). */
#include "mpi.h"

#include <assert.h>
#include <string.h>

#include "../intercept/stack.h"
#include "../intercept/sys/sys.h"
#include "library.h"

/* Sizes of buffers. A version string may have 8192 bytes in MPICH's ABI, too many for the stack of
 * a thread. */
enum { VERSION_ROOM = 8192, NAME_ROOM = 1024 };
static_assert((int)NAME_ROOM <= (int)VERSION_ROOM, "one room for both");

struct mpi_library mpi_library;

static void find_functions(void *caller) {
  struct mpi_functions *functions = &mpi_library.functions;
#define FUNCTION(name, params)                                                                     \
  functions->name = (int(*) params)mpi_find_function("PMPI_" #name, caller);
#include "functions.def"
#undef FUNCTION
}

static int has_standard_abi(void) {
  int major = -1, minor = -1;
  return mpi_function(Abi_get_version) && mpi_function(Abi_get_version)(&major, &minor) == 0 &&
         major >= 1;
}

/* Returns 1 if the version string is that of a library with MPICH's ABI, otherwise 0. */
static int says_mpich(const char *version) {
  static const char names[][16] = {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY", "ParaStation"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strstr(version, names[i])) return 1;
  return 0;
}

/* Copies the name and version of the library, without dates and builders: the first line up to a
 * comma, with single blanks. */
static void keep_line(char *out, size_t room, const char *text) {
  size_t used = 0;
  for (; *text && *text != '\n' && *text != ',' && used + 1 < room; text++) {
    char c = *text == '\t' ? ' ' : *text;
    if (c == ' ' && (used == 0 || out[used - 1] == ' ')) continue;
    out[used++] = c;
  }
  while (used > 0 && out[used - 1] == ' ')
    used--;
  out[used] = '\0';
}

static enum mpi_flavour choose(const char *version) {
  if (!mpi_function(Comm_size) || !mpi_function(Comm_rank)) return MPI_UNKNOWN;
  if (has_standard_abi()) return MPI_STANDARD_ABI;
  if (mpi_find_object("ompi_mpi_comm_world")) return MPI_OPENMPI;
  if (says_mpich(version)) return MPI_MPICH;
  return MPI_UNKNOWN;
}

static void ask_texts(void) {
  struct mpi_state *mpi = &mpi_state;
  int length = 0;
  /* Static, so that no allocation can fail: a rank that cannot determine its library could not take
   * part in the agreement, for which all other ranks would wait. */
  SELDOM static char text[VERSION_ROOM];
  if (mpi_function(Get_library_version) && mpi_function(Get_library_version)(text, &length) == 0) {
    text[VERSION_ROOM - 1] = '\0';
    keep_line(mpi->version, sizeof(mpi->version), text);
  }
  memset(text, 0, NAME_ROOM);
  if (mpi_function(Get_processor_name) && mpi_function(Get_processor_name)(text, &length) == 0)
    keep_line(mpi->host, sizeof(mpi->host), text);
}

/* Fills in the constants of the flavour. Returns 0, or -1 if Open MPI lacks an object that is such
 * a constant. */
static int set_constants(enum mpi_flavour flavour) {
  struct mpi_constants *constants = &mpi_library.constants;
  int lacking = 0;
  switch (flavour) {
  case MPI_OPENMPI:
#define OBJECT(name, openmpi, mpich, standard)                                                     \
  constants->name = (mpi_handle)mpi_find_object(#openmpi);                                         \
  lacking += constants->name == 0;
#define NUMBER(name, openmpi, mpich, standard) constants->name = openmpi;
#include "constants.def"
#undef OBJECT
#undef NUMBER
    break;
  case MPI_MPICH:
#define OBJECT(name, openmpi, mpich, standard) constants->name = mpich;
#define NUMBER(name, openmpi, mpich, standard) constants->name = mpich;
#include "constants.def"
#undef OBJECT
#undef NUMBER
    break;
  case MPI_STANDARD_ABI:
#define OBJECT(name, openmpi, mpich, standard) constants->name = standard;
#define NUMBER(name, openmpi, mpich, standard) constants->name = standard;
#include "constants.def"
#undef OBJECT
#undef NUMBER
    break;
  case MPI_NONE:
  case MPI_UNKNOWN:
    break;
  }
  return lacking ? -1 : 0;
}

void mpi_meet_library(const void *caller) {
  struct mpi_state *mpi = &mpi_state;
  stack_run_anyway(find_functions, (void *)(uintptr_t)caller);
  ask_texts();
  mpi_library.flavour = choose(mpi->version);
  if (set_constants(mpi_library.flavour) < 0) mpi_library.flavour = MPI_UNKNOWN;
  mpi_library.handle_mask = mpi_library.flavour == MPI_MPICH ? UINT32_MAX : UINTPTR_MAX;
}

int mpi_comm_size(mpi_handle comm) {
  int size = 1;
  if (!mpi_can_ask() || mpi_function(Comm_size)(comm, &size) != 0) return 1;
  return size;
}

/* Returns the size of a basic type, which two ABIs store in its handle; 0 if the handle does not
 * have it. */
static int64_t size_in_handle(mpi_handle type) {
  if (mpi_library.flavour == MPI_MPICH && (type & 0xff000000) == 0x4c000000)
    return (type >> 8) & 0xff;
  if (mpi_library.flavour == MPI_STANDARD_ABI && type - 0x240 < 0x40)
    return INT64_C(1) << ((type >> 3) & 7);
  return 0;
}

int64_t mpi_type_bytes(mpi_handle type) {
  int64_t size;
  int narrow = 0;
  if (!mpi_can_ask()) return -1;
  if (mpi_same(type, mpi_constant(BYTE))) return 1;
  if ((size = size_in_handle(type)) > 0) return size;
  if (mpi_function(Type_size_x))
    return mpi_function(Type_size_x)(type, &size) == 0 && size >= 0 ? size : -1;
  if (mpi_function(Type_size) && mpi_function(Type_size)(type, &narrow) == 0 && narrow >= 0)
    return narrow;
  return -1;
}

int mpi_type_is_named(mpi_handle type) {
  int integers, addresses, types, combiner = -1;
  if (!mpi_can_ask() || !mpi_function(Type_get_envelope)) return 0;
  if (mpi_function(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) != 0)
    return 0;
  return (uintptr_t)combiner == mpi_constant(COMBINER_NAMED);
}

int64_t mpi_status_bytes(const void *status) {
  int64_t bytes = -1;
  int narrow = -1;
  mpi_handle byte = mpi_constant(BYTE);
  if (!mpi_can_ask()) return -1;
  if (mpi_function(Get_elements_x))
    return mpi_function(Get_elements_x)(status, byte, &bytes) == 0 && bytes >= 0 ? bytes : -1;
  if (mpi_function(Get_count) && mpi_function(Get_count)(status, byte, &narrow) == 0 && narrow >= 0)
    return narrow;
  return -1;
}

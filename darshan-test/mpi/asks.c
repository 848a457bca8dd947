/* Prints whether functions of MPI exist (1 or 0): by dlsym, and by the weak references of a library
 * that it opens: asks MPI WEAK. MPI is a library of MPI, which is opened before the first query, or
 * "-" for none. WEAK is the library with weak references (weak.c). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    "MPI_Init",        "PMPI_Init",        "MPI_File_open",        "MPI_File_write_at_c",
    "MPI_Allreduce_c", "PMPI_Allreduce_c", "MPI_Session_init",     "MPI_Send",
    "MPI_Wait",        "MPI_Alltoallw_c",  "MPI_Session_finalize",
};

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (strcmp(argv[1], "-") != 0 && !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
    fprintf(stderr, "asks: %s\n", dlerror());
    return 1;
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    printf("dlsym %s %d\n", names[i], dlsym(RTLD_DEFAULT, names[i]) != NULL);
  void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  void (*print)(void) = library ? (void (*)(void))dlsym(library, "print_weak") : NULL;
  if (!print) {
    fprintf(stderr, "asks: %s\n", dlerror());
    return 1;
  }
  print();
  return 0;
}

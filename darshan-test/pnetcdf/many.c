/* Has more files open at a time than the runtime's table has entries, by several copies of PnetCDF.
 * Each plug-in links the program with one copy; with -DPLUGIN, this file is the plug-in. Usage:
 * many FILES PLUGIN... */
#ifdef PLUGIN
#include <pnetcdf.h>

int many_files(const char *path, int files);

enum { SYNCS = 100 };

/* Creates a file at `path`, opens it `files` times, and syncs the last SYNCS of these. The files
 * stay open. Returns 0, or 1 if a call fails. */
int many_files(const char *path, int files) {
  static int ids[1024];
  int first;
  int failed = ncmpi_create(MPI_COMM_SELF, path, NC_CLOBBER, MPI_INFO_NULL, &first) ||
               ncmpi_enddef(first) || ncmpi_close(first);
  for (int i = 0; i < files && !failed; i++)
    failed = ncmpi_open(MPI_COMM_SELF, path, NC_WRITE, MPI_INFO_NULL, &ids[i]);
  for (int i = files - SYNCS; i < files && !failed; i++)
    failed = ncmpi_sync(ids[i]);
  return failed;
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Opens many files by the plug-in `name`. Returns 0; 1 if that fails. */
static int use(const char *name, int files) {
  void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  int (*many)(const char *, int) =
      plugin ? (int (*)(const char *, int))(uintptr_t)dlsym(plugin, "many_files") : NULL;
  return many ? many("data.nc", files) : 1;
}

int main(int argc, char **argv) {
  int failed = 0;
  MPI_Init(&argc, &argv);
  for (int i = 2; i < argc && !failed; i++)
    failed = use(argv[i], atoi(argv[1]));
  printf("%d\n", failed);
  fflush(stdout);
  _Exit(failed); /* without MPI_Finalize, which would take seconds for so many open files */
}
#endif

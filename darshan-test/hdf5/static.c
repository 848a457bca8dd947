/* Calls the function of plugin.c in a program that is linked statically with HDF5: its calls of
 * HDF5 can not be intercepted. */
int use_hdf5(const char *name, int n);

int main(void) {
  return use_hdf5("a.h5", 8) == 0 ? 0 : 1;
}

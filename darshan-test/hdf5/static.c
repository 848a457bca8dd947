/* The function of plugin.c in a program that is linked statically with HDF5: calls of HDF5 stay
 * within the program's file. */
int use_hdf5(const char *name, int n);

int main(void) {
  return use_hdf5("a.h5", 8) == 0 ? 0 : 1;
}

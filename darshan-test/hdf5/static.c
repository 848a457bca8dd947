/* From plugin.c, with HDF5 linked statically: no call of HDF5 leaves the program file. */
int use_hdf5(const char *name, int n);

int main(void) {
  return use_hdf5("a.h5", 8) == 0 ? 0 : 1;
}

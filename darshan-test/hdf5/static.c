/* A statically linked HDF5: no call of it crosses a library's border. */
int use_hdf5(const char *name, int n);

int main(void) {
  return use_hdf5("a.h5", 8) == 0 ? 0 : 1;
}

/* Stubs of libbz2's functions, which are never called. The reader's shared libraries are linked
 * with them, so that they need libbz2 under its usual name instead of Debian's libbz2.so.1.0. The
 * static library, which the programs contain, cannot be linked into a shared library. */
int BZ2_bzDecompressInit(void);
int BZ2_bzDecompress(void);
int BZ2_bzDecompressEnd(void);

int BZ2_bzDecompressInit(void) {
  return 0;
}

int BZ2_bzDecompress(void) {
  return 0;
}

int BZ2_bzDecompressEnd(void) {
  return 0;
}

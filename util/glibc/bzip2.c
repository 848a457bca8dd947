/* Nothing of this is ever called: libraries are linked with it, so that they ask for
 * libbz2 by the name that it has everywhere, and not by Debian's, which is
 * libbz2.so.1.0.  Its archive, which the programs hold, cannot go into a library. */
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

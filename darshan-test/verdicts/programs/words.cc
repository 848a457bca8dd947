// Programs for which the report once printed a wrong sentence: words CASE [cured].
#include "case.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

// Asks a stream of C++ for its position after each character: the report once counted every call of
// fileno as an open.
static void tell_each(bool) {
  std::ofstream out("places");
  std::ifstream in("input", std::ios::binary);
  long sum = 0;
  for (int i = 0; i < 90000; i++) {
    char c;
    must(bool(in.get(c)), "get");
    sum += in.tellg();
  }
  out << sum << '\n';
}

// Writes letters, and computes between them: very little I/O, but many calls.
static void many_calls(bool) {
  FILE *out = fopen("numbers", "w");
  must(out != nullptr, "numbers");
  volatile double x = 1;
  for (int i = 0; i < 120000; i++) {
    fputc('a' + i % 26, out);
    for (int j = 0; j < 4000; j++)
      x = x * 1.0000001;
  }
  must(fclose(out) == 0, "numbers");
}

// A large file through O_DIRECT, in the smallest blocks: no buffer of a stream may help.
static void direct_blocks(bool cured) {
  enum { SMALL = 4096, LARGE = 1 << 20, SIZE = 12 << 20 };
  int fd = open("input", O_RDONLY | O_DIRECT), size = cured ? LARGE : SMALL;
  if (fd < 0) fd = open("input", O_RDONLY); // not on tmpfs
  void *room;
  must(fd >= 0 && posix_memalign(&room, LARGE, LARGE) == 0, "input");
  for (int done = 0; done < SIZE; done += size)
    must(read(fd, room, size) == size, "read");
  close(fd);
  free(room);
}

// Takes a matrix apart with a new stream for each line; cured: with strtol.
static void stream_each(bool cured) {
  must(rename("input", "dist.phy") == 0, "rename");
  std::ifstream in("dist.phy");
  std::string line, word;
  long sum = 0;
  while (std::getline(in, line)) {
    if (cured) {
      sum += std::strtol(line.c_str(), nullptr, 10);
      continue;
    }
    std::istringstream fields(line);
    long number = 0;
    fields >> number;
    while (fields >> word) sum++;
    sum += number;
  }
  must(sum > 0, "lines");
}

// A pattern is searched in each line of a log.
static void regex_each(bool cured) {
  must(rename("input", "access.log") == 0, "rename");
  const std::regex pattern("([0-9]{7}) some ([a-z]+)");
  std::ifstream in("access.log");
  std::string line;
  long sum = 0;
  while (std::getline(in, line)) {
    std::smatch found;
    if (cured)
      sum += strtol(line.c_str(), nullptr, 10);
    else if (std::regex_search(line, found, pattern))
      sum += found.length(2);
  }
  must(sum > 0, "lines");
}

// Whole texts, of which sscanf takes one number after the other.
static void scanned_texts(bool cured) {
  static char text[512 << 10];
  long found = 0;
  must(rename("input", "lines.txt") == 0, "rename");
  for (int i = 0; i < 6; i++) {
    FILE *in = fopen("lines.txt", "r");
    must(in && fread(text, 1, sizeof text - 1, in) == sizeof text - 1, "lines.txt");
    fclose(in);
    for (char *at = text, *line; (line = strchr(at, '\n')) != nullptr; at = line + 1) {
      int number = 0;
      if (cured)
        number = (int)strtol(at, nullptr, 10);
      else if (sscanf(at, "%d", &number) != 1)
        break;
      found += number;
    }
  }
  must(found > 0, "numbers");
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"tell-each", tell_each},
      {"many-calls", many_calls},
      {"direct-blocks", direct_blocks},
      {"regex-each", regex_each},
      {"stream-each", stream_each},
      {"scanned-texts", scanned_texts},
      {nullptr, nullptr},
  };
  return run_case(argc, argv, cases);
}

// Streams of C++.
#include "case.h"

#include <fstream>
#include <iostream>
#include <string>

static void endl_each(bool cured) {
  std::ofstream out("log");
  for (int i = 0; i < 4000; i++) {
    out << "step " << i;
    if (cured)
      out << '\n';
    else
      out << std::endl;  // blame: endl-each
  }
}

static void no_buffer(bool cured) {
  std::ifstream in;
  if (!cured) in.rdbuf()->pubsetbuf(nullptr, 0);
  in.open("input", std::ios::binary);
  char c;
  for (int i = 0; i < 4000; i++) must(bool(in.get(c)), "get");  // blame: no-buffer
}

static void open_each(bool cured) {
  std::ofstream kept;
  if (cured) kept.open("log");
  for (int i = 0; i < 600; i++) {
    if (cured) {
      kept << i << '\n';
      continue;
    }
    std::ofstream out("log", std::ios::app);  // blame: open-each
    out << i << '\n';
  }
}

static void seekg_each(bool cured) {
  std::ifstream in("input", std::ios::binary);
  double value;
  std::string all;
  if (cured) {
    all.resize(8 << 20);
    in.read(&all[0], 8 << 20);
  }
  unsigned at = 1;
  for (int i = 0; i < 3000; i++) {
    at = at * 1664525u + 1013904223u;
    unsigned place = (at >> 4) % (1u << 20) * 8;
    if (cured) {
      memcpy(&value, &all[place], sizeof value);
      continue;
    }
    in.seekg(place);  // blame: seekg-each
    in.read(reinterpret_cast<char *>(&value), sizeof value);  // blame: seekg-each
  }
}

static void seekg_in_order(bool cured) {
  std::ifstream in("input", std::ios::binary);
  double value;
  for (int i = 0; i < 8000; i++) {
    if (!cured) in.seekg(8 * i); // where it is already
    must(bool(in.read(reinterpret_cast<char *>(&value), sizeof value)), "read");
  }
}

static void seekg_sections(bool) {
  std::ifstream in("input", std::ios::binary);
  std::string section(1 << 18, ' ');
  for (int i = 0; i < 160; i++) {
    in.seekg((i * 7 % 32) << 18);
    must(bool(in.read(&section[0], 1 << 18)), "read");
  }
}

static void lines_out(bool) {
  std::ofstream out("table");
  for (int i = 0; i < 1000000; i++) out << i << '\n';
}

/* Adds numbers of the standard input. */
static void cin_in(bool cured) {
  std::ofstream out("numbers");
  for (int i = 0; i < 700000; i++) out << i % 1000003 << '\n';
  out.close();
  must(freopen("numbers", "r", stdin) != nullptr, "freopen");
  if (cured) std::ios::sync_with_stdio(false);
  long sum = 0, value;
  while (std::cin >> value) sum += value; // blame: cin-in
  must(sum > 0, "sum");
}

static void getline_all(bool) {
  std::ifstream in("input");
  std::string line;
  while (std::getline(in, line)) continue;
}

int main(int argc, char **argv) {
  static const Case cases[] = {
      {"endl-each", endl_each},     {"no-buffer", no_buffer},   {"open-each", open_each},
      {"seekg-in-order", seekg_in_order}, {"seekg-sections", seekg_sections},
      {"seekg-each", seekg_each},   {"lines-out", lines_out},   {"getline-all", getline_all},
      {"cin-in", cin_in},
      {nullptr, nullptr},
  };
  return run_case(argc, argv, cases);
}

"""Scripts of bash and Perl in which each line with recorded calls has a comment with its frame and
its calls.

The comment is a mark `#= FUNCTION KIND COUNT`: the line makes COUNT calls of this kind (a counter
of SITES), and is the innermost frame, within FUNCTION."""

from __future__ import annotations

BASH = """#!/bin/bash
work() {
  local i
  for i in 1 2 3 4 5; do
    echo "$i" >> out.txt #= work OPENS 5
  done
}
work
while read -r a; do #= main READS 6
  n=$((n + 1))
done < out.txt #= main OPENS 1
x=$(cat out.txt) #= main fork 1
for f in a b c; do
  cp out.txt "$f" #= main fork 3
done
cat out.txt | sort | uniq > sorted #= main fork 3
. ./lib.sh #= main OPENS 1
from::library a
[[ -f a && -f b ]] #= main LOOKUPS 2
(
  cd ..
  echo 1 > work/sub #= main OPENS 1
)
"""
LIBRARY = """from::library() {
  read -r line < "$1" #= from::library OPENS 1
  echo "$line" > copied #= from::library OPENS 1
}
"""
PERL = """use strict;
use lib '.';
use Slurp; #= BEGIN import 1
open(my $out, '>', 'out.txt') or die; #= main OPENS 1
for my $i (1 .. 5) {
  syswrite($out, "line $i\\n"); #= main WRITES 5
}
close($out);
open(my $in, '<', 'out.txt') or die; #= main OPENS 1
while (my $line = <$in>) { #= main READS 2
  my $length = length $line;
  my $again = $length;
}
sub each_one {
  my ($name) = @_;
  if (-e $name) { #= each_one LOOKUPS 3
    Slurp::slurp($name);
  }
}
each_one('out.txt') for 1 .. 3;
my $text = eval "\\n Slurp::slurp('out.txt')";
my @names = sort { -s $a <=> -s $b } ('out.txt', 'Slurp.pm'); #= main LOOKUPS 2
my $move = sub {
  rename 'out.txt', 'moved.txt'; #= __ANON__ OTHERS 1
};
$move->();
eval {
  unlink 'Slurp.pm' or die; #= main OTHERS 1
};
system('true'); #= main fork 1
my @all = `cat moved.txt`; #= main fork 1
"""
MODULE = """package Slurp;
sub slurp {
  my ($name) = @_;
  open(my $in, '<', $name) or die; #= slurp OPENS 4
  local $/;
  my $text = <$in>; #= slurp READS 8
  return $text;
}
1;
"""
THREADS = """use threads;
sub work {
  my ($name) = @_;
  open(my $out, '>', $name) or die; #= work OPENS 3
  syswrite($out, 'x') for 1 .. 20; #= work WRITES 60
}
my @threads = map { threads->create(\\&work, "t$_") } 1 .. 3;
$_->join for @threads;
"""

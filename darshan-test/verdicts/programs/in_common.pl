# Workers of Perl that use one file at the same time: in_common.pl CASE [cured].
use strict;
use warnings;
use Fcntl qw(:flock SEEK_SET);
my ($which, $cured) = @ARGV;
my $many = $cured ? 1000 : 1;

# tickets: each worker takes numbers from a counter; cured: blocks of numbers.
sub take {
    open(my $file, '+<', 'counter') or die "counter: $!";
    flock($file, LOCK_EX) or die "flock: $!";  # blame: tickets
    my $first = <$file>;
    seek($file, 0, SEEK_SET);
    print $file $first + $many, "\n";
    close($file) or die "counter: $!";
    return $first;
}

open(my $file, '>', 'counter') or die "counter: $!";
print $file "0\n";
close($file);
for my $worker (1, 2) {
    next if fork();
    take() for 1 .. 20000 / $many;
    exit 0;
}
1 while wait() > 0;
open($file, '<', 'counter') or die "counter: $!";
die "$which: a number was given twice\n" if <$file> != 40000;

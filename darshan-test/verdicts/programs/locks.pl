# Processes that wait for a lock file in Perl: locks.pl CASE [cured].
use strict;
use warnings;
use Fcntl;

my ($workers, $rounds) = (4, 12);
my $cured = @ARGV > 1;

sub compute {
    my $value = shift;
    $value = ($value * 1103515245 + 12345) % 2147483648 for 1 .. 150000;
    return $value;
}

for my $worker (1 .. $workers) {
    next if fork;
    for my $round (1 .. $rounds) {
        my $value = $cured ? compute($worker * $round) : 0;
        until (sysopen my $lock, 'lock', O_CREAT | O_EXCL | O_WRONLY) {    # blame: spin-on-file
            select undef, undef, undef, 0.002 if $cured;
        }
        $value = compute($worker * $round) unless $cured;
        open my $file, '>>', 'results' or die;
        print $file "$value\n";
        close $file;
        unlink 'lock';
    }
    exit 0;
}
1 while wait != -1;

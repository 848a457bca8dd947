# Lines in Perl: words.pl CASE [cured].
use strict;
use warnings;
use IO::Handle;
my ($which, $cured) = @ARGV;

if ($which eq 'lines-out') {
    open(my $file, '>', 'log') or die "log: $!";
    $file->autoflush(1) unless $cured;
    print $file "line $_\n" for 0 .. 5999;  # blame: lines-out
    close($file) or die "log: $!";
} elsif ($which eq 'seek-each') {
    open(my $file, '<:raw', 'input') or die "input: $!";
    my $record = '';
    for my $place (0 .. 19999) {
        seek($file, 48 * $place, 0) unless $cured && tell($file) == 48 * $place;  # blame: seek-each
        read($file, $record, 48);  # blame: seek-each
    }
} elsif ($which eq 'tied-lines') {
    my ($sum, @lines) = (0);
    open(my $out, '>', 'table') or die "table: $!";
    print $out "$_ 17 some words of a line\n" for 1 .. 20000;
    close($out) or die "table: $!";
    if ($cured) {
        open(my $file, '<', 'table') or die "table: $!";
        while (my $line = <$file>) { $sum += length $line }
    } else {
        require Tie::File;
        tie(@lines, 'Tie::File', 'table') or die "table: $!";
        $sum += length $lines[$_] for 0 .. $#lines;  # blame: tied-lines
    }
} else {
    open(my $file, '<', 'input') or die "input: $!";
    my ($moved, $piece) = (0, '');
    while ($moved < 100000) {
        $moved += sysread($file, $piece, $cured ? 1 << 20 : 16) or die "input: $!";  # blame: pieces-in
    }
}

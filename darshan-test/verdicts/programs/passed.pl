# Programs that ask another one through pipes: passed.pl CASE [cured].
use strict;
use warnings;
use IPC::Open2;

sub answer {
    local $| = $_[0];
    while (my $line = <STDIN>) { print 2 * $line, "\n" }
}

sub question_each {
    my ($cured) = @_;
    if ($cured) {
        open my $out, '>', 'questions' or die;
        print $out "$_\n" for 1 .. 40_000;
        close $out;
        open my $in, '-|', "$^X $0 answer-all < questions" or die;
        1 while <$in>;
        return;
    }
    my $pid = open2(my $in, my $out, $^X, $0, 'answer');
    for my $number (1 .. 40_000) {
        print $out "$number\n";
        <$in>;
    }
    close $out;
    waitpid $pid, 0;
}

my ($case, $cured) = @ARGV;
if ($case eq 'answer') { answer(1) }
elsif ($case eq 'answer-all') { answer(0) }
elsif ($case eq 'question-each') { question_each(defined $cured) }

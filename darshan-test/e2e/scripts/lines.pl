# Writes and reads lines, renames, lists.
open(my $out, ">", "numbers") or die;
print $out "$_\n" for 1 .. 5000;
close $out;
my $sum = 0;
open(my $in, "<", "numbers") or die;
while (<$in>) { $sum += $_ }
print "$sum\n";
rename "numbers", "renamed" or die;
print -s "renamed", "\n";
mkdir "folder";
opendir(my $folder, ".") or die;
print scalar(grep { !/^\./ } readdir $folder), "\n";

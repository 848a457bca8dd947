# Reads and writes through inherited descriptors.
gzip -nc <words >words.gz
cat <words >copied
tee one two <words >three
sort <words >sorted
dd bs=4k status=none <words >blocks
awk '{ n += length($0) } END { print n }' <words >counted
perl -ne 'print if /a/' <words >with-a
sed -n 1,100p <words >head
for i in $(seq 40); do
  echo "$i"
  head -c 100 words
done >>appended
cat >here <<END
text of a here-document
END
cat >long <<END
$(cat words)
END
exec 3>third 4<words
echo line >&3
cat <&4 >&3
exec 3>&- 4<&-
{
  read -r first
  echo "$first"
  cat
} <words >rest
cat <words | wc -c >length
printf 'a\nb\n' >"a link's target"
ln -s "a link's target" link
cat >>"a link's target" <words

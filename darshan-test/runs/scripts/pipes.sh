# Redirections of every kind, in any shell of POSIX: who opens is never who transfers.
set -e
sort <words >sorted
sort -r <words | head -n 1000 | tee half >/dev/null
gzip -n -c <words >words.gz
gzip -d <words.gz | cmp - words
wc -c <words >size 2>&1
cat <<END >here
a short one, $((6 * 7))
END
{
  echo first
  cat <here
  ls missing || true
} >group 2>&1
for i in 1 2 3 4 5 6 7 8 9 10; do
  cat here
  echo "line $i"
done >>loop
while read -r number rest; do
  echo "$rest" | tr a-z A-Z
done <here >>loop
(
  exec 3<words 4>picked
  dd bs=1000 count=3 status=none <&3 >&4
  head -c 500 <&3 >&4
  echo end >&4
)
exec 5>>loop
for i in 1 2 3; do
  echo "through five" >&5
  date -u -d @0 >&5
done
exec 5>&-
text=$(cat size)
echo "$text" | sed 's/ *$//' >size
cat sorted sorted sorted | cat | cat >thrice
cmp -s sorted thrice || echo differ >>group
exec >last
echo the shell itself
cat size

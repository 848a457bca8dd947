# What only bash has: here-strings, substituted processes, coprocesses, descriptors by name.
set -e
. ./pipes.sh
exec {out}>named
read -r first <words
cat <<<"$first" >&"$out"
printf '%s\n' "${first% *}" one two >&"$out"
exec {out}>&-
paste <(head -n 5 sorted) <(tail -n 5 sorted) >pasted
sort sorted > >(gzip -n >substituted.gz)
wait $!
mapfile -t lines <pasted
printf '%s\n' "${lines[@]}" >again
cat <<END >large
$(cat words words)
END
coproc { tr a-z A-Z >upper; }
cat pasted >&"${COPROC[1]}"
exec {COPROC[1]}>&-
wait

# Pipes, redirections, loops and child processes; exits with 3.
set -e
for i in 1 2 3 4 5 6; do echo "line $i" >> list; done
sort -r list | sed 's/line/row/' | tee copy | wc -l > count
while read a b; do echo "$b-$a"; done < copy > turned
(cat list; cat copy) | grep -c 3 > found
cp list list2 && mv list2 list3 && rm list3
[ -f list ] && cat count found turned
exec 3> direct; echo three >&3; exec 3>&-
exit 3

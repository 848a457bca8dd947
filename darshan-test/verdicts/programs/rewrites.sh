# Scripts whose processes write one file again and again: rewrites.sh CASE [cured].
set -e
case $1 in
  archive-each)
    split -b 26000 input part  # 41 parts
    if [ "$2" = cured ]; then ar q all.a part* 2> said
    else
      for part in part*; do
        ar q all.a "$part" 2>> said  # blame: archive-each
      done
    fi ;;
  filter-and-move)
    cp input table
    if [ "$2" = cured ]; then
      awk '{ for (i = 0; i < 30; i++) sum += $1 - i; print sum, $2 }' table > new
      mv new table
    else
      for i in $(seq 30); do
        awk -v i="$i" '{ sum += $1 - i; print sum, $2 }' table > new && mv new table  # blame: filter-and-move
      done
    fi ;;
  script-each)
    {
      echo 'import json, os, sys'
      echo 'data = json.load(open("all.json")) if os.path.exists("all.json") else {}'
      echo 'for word in sys.argv[1:]:'
      echo '    data[word] = [word + str(number) for number in range(20000)]'
      echo 'json.dump(data, open("all.json", "w"))'
    } > add.py
    words=$(seq 12)
    python=$(command -v /usr/bin/python3 || command -v python3)
    if [ "$2" = cured ]; then "$python" add.py $words
    else
      for word in $words; do
        "$python" add.py "$word"  # blame: script-each
      done
    fi ;;
  append-each)  # each process writes its own lines behind those of the others
    for i in $(seq 30); do
      seq "$i" 30 60000 >> lines
      head -c 5000 lines > first
    done ;;
  result-each)  # each process writes a result that has nothing of the last one
    for i in $(seq 30); do
      seq "$i" 30 200000 > now
    done ;;
esac

# Shells and tools: words.sh CASE [cured]. A tool replaces the shell by exec, so that it runs as if
# a user had started it.
set -e
case $1 in
  echo-each)
    if [ "$2" = cured ]; then
      for i in $(seq 4000); do printf -v all '%sline %d\n' "$all" "$i"; done
      printf %s "$all" > log
    else
      exec > log
      for i in $(seq 4000); do echo "line $i"; done  # blame: echo-each
    fi ;;
  dd-small)
    if [ "$2" = cured ]; then exec dd if=input of=copy bs=1M status=none; fi
    exec dd if=input of=copy bs=512 status=none ;;
  sum-each)
    if [ "$2" = cured ]; then md5sum many/[1-3]?? many/3? many/1 > sums
    else for file in many/[1-3]?? many/3? many/1; do md5sum "$file"; done > sums; fi ;;  # blame: sum-each
  head-and-cut)
    if [ "$2" = cured ]; then awk '{ print $1; nextfile }' many/[1-3]?? many/3? many/1 > names
    else for file in many/[1-3]?? many/3? many/1; do head -n 1 "$file" | cut -d' ' -f1; done > names  # blame: head-and-cut
    fi ;;
  find-each)
    end=';'
    if [ "$2" = cured ]; then end='+'; fi
    find many \( -name '[1-3]??' -o -name '3?' -o -name 1 \) -exec md5sum {} "$end" > sums ;;
  cut-each)
    seq 300 | sed 's/$/ some words/' > lines
    if [ "$2" = cured ]; then cut -d' ' -f1 lines > firsts
    else while read -r line; do echo "$line" | cut -d' ' -f1; done < lines > firsts; fi ;;  # blame: cut-each
  called-each)
    if [ "$2" = cured ]; then
      python3 -c 'import os; [os.path.basename(f"/data/{n}.txt") for n in range(200)]'
    else
      python3 -c 'import subprocess
for n in range(200): subprocess.run(["basename", f"/data/{n}.txt"], stdout=subprocess.DEVNULL)'
    fi ;;
  compute-each)  # each process works for longer than it starts
    for i in $(seq 100); do
      awk 'BEGIN { for (i = 0; i < 400000; i++) sum += i * i; print sum }'
    done > results ;;
  edit-each)
    seq 20000 | sed 's/$/ value/' > table
    if [ "$2" = cured ]; then
      for i in $(seq 40); do echo "s/^$i value/$i number/"; done > changes
      sed -i -f changes table
    else for i in $(seq 40); do sed -i "s/^$i value/$i number/" table; done; fi ;;  # blame: edit-each
  read-pipe)
    seq 150000 | sed 's/$/ value/' > table
    if [ "$2" = cured ]; then while read -r a b; do last=$a; done < table
    else while read -r a b; do last=$a; done < <(cat table); fi  # blame: read-pipe
    echo "$last $b" > last ;;
  sums-again)
    if [ "$2" = cured ]; then md5sum input many/* > sums
    else for step in $(seq 12); do md5sum input many/* > sums; done; fi ;;  # blame: sums-again
  walk-each)
    if [ "$2" = cured ]; then
      find many -type f | awk -F/ '$NF <= 60' > found
    else for i in $(seq 60); do find many -name "$i"; done > found; fi ;;  # blame: walk-each
  other-files)  # the same program for other files each time
    for i in 1 2 3 4 5 6 7 8 9; do md5sum many/$i?? > "sums$i"; done ;;
  xargs-each)
    number=1
    if [ "$2" = cured ]; then number=1000; fi
    echo many/[1-3]?? many/3? many/1 | xargs -n "$number" md5sum > sums ;;
  sum-at-once) find many -type f -print0 | xargs -0 -n 100 md5sum > sums ;;
  tar-many) exec tar cf all.tar many ;;
  copy-many) exec cp -r many copy ;;
  remove-many) exec rm -r many ;;
  find-many) exec find many -size +100k ;;
  same-file-given)  # to an installed program, in C
    exec head -qc 0 $(yes input | head -n 2000) > firsts ;;
  git-many)
    LD_PRELOAD= git init -q .
    exec git add many ;;
  git-in-script)  # with what makes its files beside it, as a script does
    git init -q repository
    cd repository
    cp ../many/[1-3]?? .
    for i in $(seq 40); do echo "int f$i(void) { return $i; }" > "f$i.c"; done
    git add .
    git -c user.name=a -c user.email=a@b commit -q -m first
    git log --stat | tail -n 1
    git status --short ;;
  pip-many) exec pip hash many/[1-3]?? > hashes ;;
  copy-and-pack)
    mkdir out
    cp -r many out/copy
    tar cf out/all.tar many
    cat out/all.tar | sort | awk '{n++}' > out/number
    seq 9 | head -n 1 | tail -n 1 > out/others ;;
  pack-and-remove)
    tar cf all.tar many
    rm -r many ;;
esac

# Scripts that pass data on through pipes, or through files that they remove: passed.sh CASE [cured].
set -e
pieces() {
  mkdir day
  awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) printf "%d", 2 * rand() > ("day/" i % 4) }'
}
case $1 in
  pack-and-unpack)
    pieces
    mkdir archive
    if [ "$2" = cured ]; then
      tar -cf - day | tar -C archive -xf -
    else
      tar -cf - day | gzip -9 > day.tar.gz
      tar -C archive -xzf day.tar.gz
      rm day.tar.gz
    fi ;;
  pack-and-keep)  # the package stays, and is looked at once
    pieces
    tar -cf - day | gzip -9 > day.tar.gz
    tar -tzf day.tar.gz ;;
  copy-and-remove)
    mkdir public
    for i in $(seq 20); do
      head -c 16M /dev/zero > "part$i.bin"
      if [ "$2" = cured ]; then
        mv "part$i.bin" public
      else
        cp "part$i.bin" public  # blame: copy-and-remove
        rm "part$i.bin"
      fi
    done ;;
  copy-through-gzip)
    mkdir release to
    for i in $(seq 12); do head -c 1500000 /dev/urandom | base64 -w 0 > "release/page$i.html"; done
    if [ "$2" = cured ]; then
      tar -cf - -C release . | tar -xf - -C to
    else
      tar -czf - -C release . | tar -xzf - -C to  # blame: copy-through-gzip
    fi ;;
  packed-beside)  # the package stays, and is unpacked at the same time
    pieces
    mkdir to
    tar -czf - day | tee day.tar.gz | tar -xzf - -C to ;;
  sort-packs)
    awk 'BEGIN { srand(3); for (i = 0; i < 500000; i++) printf "w%07d\n", rand() * 3000000 }' > words
    if [ "$2" = cured ]; then
      sort -u words > unique
    else
      sort -S 1M --compress-program=gzip -u words > unique  # blame: sort-packs
    fi ;;
  git-gc-each)
    git init -q repository
    cd repository
    git config user.email a@b
    git config user.name a
    for day in 1 2 3 4 5 6 7 8; do
      awk -v s=$day 'BEGIN { srand(s); for (i = 0; i < 20000; i++) print i, rand() }' > "day$day"
      git add .
      git -c gc.auto=0 commit -q -m "$day"
      if [ "$2" != cured ] || [ $day = 8 ]; then
        git gc --quiet --aggressive  # blame: git-gc-each
      fi
    done ;;
  pipeline)  # each program waits for the one before it: that is what a pipe is for
    awk 'BEGIN { srand(1); for (i = 0; i < 900000; i++) print int(9999 * rand()), i }' |
      tr ' ' '\t' | tr '\t' ' ' | sort -n | awk '{ n[$1]++ } END { for (k in n) print n[k], k }' > counts ;;
esac

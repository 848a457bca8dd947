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
  pipeline)  # each program waits for the one before it: that is what a pipe is for
    awk 'BEGIN { srand(1); for (i = 0; i < 900000; i++) print int(9999 * rand()), i }' |
      gzip -c | gzip -dc | sort -n | awk '{ n[$1]++ } END { for (k in n) print n[k], k }' > counts ;;
esac

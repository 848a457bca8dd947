#!/bin/sh
# Pipelines and makefiles: outside.sh CASE [cured|prepare].
set -e
case $1-$2 in
sed-unbuffered-prepare)
  seq -f '10.0.0.%g - GET /index.html HTTP/1.1' 40000 >access.log
  ;;
sed-unbuffered-cured)
  tail -n +1 access.log | sed -e 's/^[0-9.]* /- /' | awk '{ n[$4]++ } END { for (p in n) print n[p], p }' >paths
  ;;
sed-unbuffered-)
  tail -n +1 access.log | sed -u -e 's/^[0-9.]* /- /' | awk '{ n[$4]++ } END { for (p in n) print n[p], p }' >paths
  ;;
here-string-prepare)
  awk 'BEGIN { for (i = 1; i <= 4000; i++) print "T" i ";" i % 97 ";Tariff number " i }' >tariffs
  awk 'BEGIN { for (i = 1; i <= 150; i++) print "T" 1000 + i * 20 }' >calls
  cat >slow.sh <<'END'
tariffs=$(< tariffs)
price_of() {
  while IFS=';' read -r code cents text; do
    [[ $code == "$1" ]] && return
  done <<< "$tariffs"
}
while read -r call; do price_of "$call"; echo "$call $cents"; done < calls > priced
END
  cat >quick.sh <<'END'
declare -A price
while IFS=';' read -r code cents text; do price[$code]=$cents; done < tariffs
while read -r call; do echo "$call ${price[$call]}"; done < calls > priced
END
  ;;
here-string-cured)
  bash quick.sh
  ;;
here-string-)
  bash slow.sh
  ;;
sparse-tar-prepare)
  mkdir images
  truncate -s 400M images/web.img images/db.img
  for name in web db; do
    head -c 1000000 /dev/urandom | dd of=images/$name.img bs=1M seek=90 conv=notrunc status=none
  done
  ;;
sparse-tar-cured)
  tar --sparse -czf backup.tgz images
  ;;
sparse-tar-)
  tar -czf backup.tgz images
  ;;
variable-of-make-prepare)
  for i in $(seq 400); do mkdir -p src/m$i; : >src/m$i/a.c; done
  ;;
variable-of-make-*)
  assign='='
  [ "$2" = cured ] && assign=':='
  {
    printf 'SRCS %s $(shell find src -name "*.c")\nall:\n\t@echo' "$assign"
    for i in $(seq 60); do printf ' $(words $(SRCS))'; done
    echo ' >sizes'
  } >Makefile
  make -s
  ;;
esac

#!/bin/sh
# Only results that the kernel can give: a table of call, descriptor and flags from the man pages of Linux. What sonde_faults draws is the table, row by row; what the
# kernel does, where the state can be made, is in it.
# Stages: gcc
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 60; fi
}
# read.2, write.2, recv.2, send.2, open.2, rename.2, fsync.2, pipe.7, socket.7, unix.7, signal.7. Reading from a file is short where an error comes later (read.2).
cat >table <<'T'
read file: short
read file nonblock: short
read directory:
read pipe: short EINTR
read pipe nonblock: short EAGAIN
read pipe one: EINTR
read stream: short EINTR ECONNRESET
read stream nonblock: short EAGAIN ECONNRESET
read stream limited: short EINTR EAGAIN ECONNRESET
read datagram: EINTR
read packet: EINTR ECONNRESET
read terminal: short EINTR
read terminal nonblock: short EAGAIN
read null:
read event: EINTR
read event nonblock: EAGAIN
write file: short ENOSPC
write pipe: short EINTR
write pipe nonblock: short EAGAIN
write pipe atomic: EINTR
write stream: short EINTR ECONNRESET
write stream nonblock: short EAGAIN ECONNRESET
write datagram: EINTR
write null:
write event: EINTR
pread file: short
pread pipe:
pwrite file: short ENOSPC
pwrite pipe:
recv stream: short EINTR ECONNRESET
recv stream dontwait: short EAGAIN ECONNRESET
recv unconnected:
send stream: short EINTR ECONNRESET
send datagram nonblock: EAGAIN
writev file: short ENOSPC
writev pipe: short EINTR
fsync file: ENOSPC EIO
fsync directory: EIO
fsync pipe:
fwrite file: short ENOSPC
fwrite pipe:
open there: EMFILE
open new: ENOSPC EMFILE
rename new: ENOSPC EIO
T
wraps=$(grep '^[a-z_]' "$SRC/addons/faults/names" | sed 's/^/-Wl,--wrap=/' | tr '\n' ' ')
# shellcheck disable=SC2086  # flags are meant to split
"$CC" -std=gnu11 -O1 -g -I"$SRC/include" "$SRC/tests/compile/faults/matrix.c" "$BUILD/libsonde.a" "$BUILD/libsonde_faults.a" -Wl,-u,sonde_fault_hook_ $wraps \
    -lm -lpthread -lutil -o matrix >log 2>&1
report $? "it compiles"
./matrix --no-store --isolate none --seed 1 --tests 20000 --guide random >all 2>&1 && sed -n 's/ *$//; s/^= //p' all >drawn
diff table drawn >log
report $? "what is drawn is the table: $(grep -c . table) rows"

mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null && is_mounted=full
./matrix real ${is_mounted:+full} >real 2>log
[ -n "${is_mounted:-}" ] && umount full
bad=0
: >log
while IFS=: read -r row result; do
    grep "^$row:" table | grep -qw "${result# }" || { echo "$row: $result is not in the table" >>log && bad=1; }
done <real
[ $bad = 0 ] && [ "$(grep -c . real)" -ge 17 ]
report $? "what the kernel does is in the table: $(grep -c . real) states"
echo "1..$n"

#!/bin/sh
# The Slurm script of docs/fleet.md, run by a real Slurm: a controller and two nodes on this host, with keys, ports and folders of their own; the array
# exchanges through a folder and through a server, and ends in good order when it is cancelled.
# Stages: gcc
relay=$BUILD/tests/misbehave/relay sonde=$BUILD/sonde
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-600 | head -n 40; }
until_true() { for _ in $(seq 1200); do "$@" && return 0; sleep 0.1; done; return 1; }
PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd sbatch munged; do
    command -v $tool >/dev/null || { echo "there is no $tool (Debian's packages slurm-wlm and munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "Slurm's daemons want root here"; exit 77; }

# Paths of sockets are short.
home=$(mktemp -d)
chmod 755 "$home"
pids=
finish() { kill $pids 2>/dev/null; wait $pids 2>/dev/null; rm -rf "$home"; }
trap finish EXIT
dd if=/dev/urandom of="$home/key" bs=1024 count=1 2>/dev/null
chmod 400 "$home/key"
munged --foreground --force --socket="$home/munge" --key-file="$home/key" --pid-file="$home/munged.pid" --seed-file="$home/seed" --log-file="$home/munged.log" --num-threads=2 >/dev/null 2>&1 &
pids=$!
port=$((20000 + $$ % 20000 / 4 * 4)) host=$(hostname)
cat >"$home/slurm.conf" <<END
ClusterName=sonde
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge
CredType=cred/munge
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool.%n
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$home/slurm.conf" SONDE_SHARE_AGENT="$BUILD/sonde-share"
mkdir "$home/state"
until_true [ -S "$home/munge" ]
slurmctld -D >controller.log 2>&1 &
pids="$! $pids"
for node in node1 node2; do
    slurmd -D -N $node >$node.log 2>&1 &
    pids="$! $pids"
done
is_up() { timeout 5 sinfo -h -o '%D %t' 2>/dev/null | grep -q '^2 idle'; }
for _ in $(seq 300); do is_up && break; sleep 0.1; done
is_up || { echo "Slurm does not start here: $(tail -n 1 controller.log) $(tail -n 1 node1.log)"; exit 77; }

# As it stands in the documentation, but for its size and the name of the property.
sed -n '/^    #SBATCH/,/^    exec/p' "$SRC/docs/fleet.md" | sed 's/^    //; s/0-99/0-3/; s/--filter parses/--filter relay/; 1i#!/bin/sh' >folder.sbatch
[ "$(wc -l <folder.sbatch)" = 3 ] && grep -q 'array=0-3.*TERM' folder.sbatch && grep -q 'exec ./test --fuzz --filter relay --share dir:' folder.sbatch
report $? "the documentation has the script"
cp "$relay" test
sed 's,dir:[^ ]*,redis+unix:$SOCKET,' folder.sbatch >server.sbatch

# run SCRIPT PLACE: all four must report what takes two of them, and then end as they are told to.
reported() { [ "$(grep -l "replay 's1:x=123456789 y=987654321" slurm-"$1"_*.out 2>/dev/null | wc -l)" = 4 ]; }
none_left() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
run() {
    job=$(NAP=1 sbatch --parsable "$1" 2>&1)
    until_true reported "$job"
    result=$?
    squeue -h -j "$job" -o %N >nodes
    grep -q node1 nodes && grep -q node2 nodes || result=1
    scancel "$job" && until_true none_left "$job" || result=1
    [ "$(grep -h 'relay: worker .* cases' slurm-"$job"_*.out | sort -u | wc -l)" = 4 ] || result=1
    "$sonde" share status "$2" >status 2>&1
    grep -q ' 1 failure, 1 shrunk' status || result=1
}
run folder.sbatch "dir:$PWD/place"
report $result "an array over two nodes finds together what takes two, through a folder, and ends when it is cancelled"
[ $result = 0 ] || { show nodes status controller.log; show slurm-*_0.out; }

if command -v redis-server >/dev/null && ! "$BUILD/sonde-share" status redis+unix:/nowhere 2>&1 | grep -q 'built without hiredis'; then
    export SOCKET="$home/redis" SONDE_SHARE_PASSWORD_FILE="$home/password"
    echo right-one >"$home/password"
    redis-server --port 0 --unixsocket "$SOCKET" --save '' --dir "$home" --requirepass right-one >server.log 2>&1 &
    pids="$pids $!"
    until_true [ -S "$SOCKET" ]
    run server.sbatch "redis+unix:$SOCKET"
    report $result "and through a server, whose password is in a file"
    [ $result = 0 ] || { show nodes status server.log; show slurm-*_0.out; }
fi
echo "1..$n"

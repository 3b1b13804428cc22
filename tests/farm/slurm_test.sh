#!/usr/bin/env bash
# Runs tools/farm/slurm-array.sbatch on its own Slurm (munged, slurmctld and slurmd on the loopback address, all files
# in one folder), compares the frames with those of a plain run, and tries the time limit. Starts several tasks by srun.
# Usage: slurm_test.sh PATH_OF_ROUNDEL. Exits with 77 if Slurm is missing or cannot be started.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "$(realpath "$0")")/../setup/testing.sh"
roundel=$(realpath "$1")
source_dir=$(realpath "$(dirname "$(realpath "$0")")/../..")

skip() {
  echo "skipped: $*"
  exit 77
}
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch squeue scancel scontrol srun; do
  type -P "$program" >/dev/null || skip "needs Slurm ($program)"
done
((EUID == 0)) || skip "needs root, who starts the daemons"

stop_daemons() {
  local file
  for file in "$work"/{slurmd,slurmctld,munge/munged}.pid; do
    [[ ! -s $file ]] || kill "$(<"$file")" 2>/dev/null || :
  done
  sleep 0.3
  rm -rf "$work"
}
trap stop_daemons EXIT
# wait_for SECONDS COMMAND...: waits until it succeeds.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

chmod 755 "$work"
mkdir -m 700 "$work"/{munge,ctld,d}
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 600 "$work/munge/key"
chmod 755 "$work/munge"
munged --force --key-file="$work/munge/key" --socket="$work/munge/sock" \
  --pid-file="$work/munge/munged.pid" --log-file="$work/munge/log" \
  --seed-file="$work/munge/seed" >"$work/munged.out" 2>&1 || skip "munged does not start"

host=$(hostname -s)
port=$((20000 + RANDOM % 10000))
cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge/sock
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
StateSaveLocation=$work/ctld
SlurmdSpoolDir=$work/d
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld >"$work/slurmctld.out" 2>&1 || skip "slurmctld does not start: $(tail -n 3 "$work/slurmctld.out")"
slurmd >"$work/slurmd.out" 2>&1 || skip "slurmd does not start: $(tail -n 3 "$work/slurmd.out")"
node_is_idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }
wait_for 20 node_is_idle || skip "the node does not come up: $(tail -n 3 "$work/slurmd.log" "$work/slurmctld.log")"

# run_array ARRAY [OPTION...]: submits the template for the frames and waits for its end.
run_array() {
  export ROUNDEL=$roundel
  sbatch --array="$1" --cpus-per-task=1 --chdir="$work" "$source_dir/tools/farm/slurm-array.sbatch" \
    snow.yaml 0-30 "out/%d.png" "${@:2}" >"$work/sbatch.out"
  no_job() { [[ -z $(squeue -h) ]]; }
  wait_for 60 no_job || fail "the array does not end: $(squeue)"
}
cat >"$work/snow.yaml" <<'END'
version: 1
image: {width: 128, height: 128}
layers:
  - generator: snow
END
mkdir "$work"/{expected,out}
cd "$work"
"$roundel" render snow.yaml --frames 0-30 -o expected/%d.png -q
# The tasks share the frames of the folder, whatever their ids: each frame is made once.
run_array 3,7,9
diff -r expected out || fail "the frames of the array are not those of a plain run: $(cat roundel-*.log)"
made=$(grep -hoE '  [0-9]+ frames? ' roundel-*.log | awk '{ made += $1 } END { print made }')
((made == 31)) || fail "$made frames were made: $(cat roundel-*.log)"

# Fixed shares, with ids that do not start at 1.
rm -r out roundel-*.log
run_array 1-4 --shard auto
diff -r expected out || fail "the frames of the shares are not those of a plain run: $(cat roundel-*.log)"
for task in 1 2 3 4; do
  expect_text '  [78] frames  ' roundel-*_$task.log
done
rm out/{3,17,30}.png roundel-*.log
run_array 0-2:2 --shard auto
diff -r expected out || fail "the frames of the second array differ: $(cat roundel-*.log)"
expect_text '  1 frame \(14 kept\)' roundel-*_0.log
expect_text '  2 frames \(14 kept\)' roundel-*_2.log

# Ids without a step are refused: the shares would be unknown.
rm roundel-*.log
run_array 3,7,9 --shard auto
expect_text 'expected a Slurm array with a regular step' roundel-*_7.log

# A task that reaches its time limit finishes its frame, is queued again and makes the rest; its log continues. Slurm's
# own signal would take a minute.
cat >slow.yaml <<'END'
version: 1
image: {width: 1500, height: 1500}
layers:
  - generator: hypnosis
  - random: {count: 3000, radius: 0.1, alpha: 0.001}
END
mkdir slow
sbatch --array=1 --cpus-per-task=1 --time=5 --chdir="$work" "$source_dir/tools/farm/slurm-array.sbatch" \
  slow.yaml 0-19 "slow/%d.png" >sbatch.out
job=$(sed 's/.* //' sbatch.out)
has_a_frame() { [[ -e slow/0.png ]]; }
wait_for 60 has_a_frame || fail "no frame is made: $(cat roundel-"$job"_1.log)"
scancel --batch --signal=USR1 "${job}_1"
is_queued_again() { [[ $(scontrol show job "${job}_1") == *Restarts=1* && $(squeue -h -o %T) == PENDING ]]; }
wait_for 60 is_queued_again || fail "the task is not queued again: $(scontrol show job "$job")"
expect_text 'interrupted: [0-9]+ of 20 frames are missing' roundel-"$job"_1.log
scontrol update "JobId=${job}_1" StartTime=now+3  # the node refuses it in the second of its end
has_ended() { [[ -e slow/19.png ]] && no_job; }
wait_for 120 has_ended || fail "the task does not make the rest: $(scontrol show job "$job")"
expect_text 'interrupted: [0-9]+ of 20 frames are missing' roundel-"$job"_1.log
expect_text '  [0-9]+ frames? \([0-9]+ kept\)' roundel-"$job"_1.log
[[ $(find slow -name '*.png' | wc -l) == 20 ]] || fail "frames are missing: $(ls slow)"

# A task that was cancelled is not queued again.
rm slow/*.png
sbatch --array=1 --cpus-per-task=1 --chdir="$work" "$source_dir/tools/farm/slurm-array.sbatch" \
  slow.yaml 0-99 "slow/%d.png" >sbatch.out
job=$(sed 's/.* //' sbatch.out)
wait_for 60 has_a_frame || fail "no frame is made: $(cat roundel-"$job"_1.log)"
scancel --batch --signal=TERM "${job}_1"
wait_for 60 no_job || fail "the task does not end: $(squeue)"
expect_text 'interrupted: [0-9]+ of 100 frames are missing' roundel-"$job"_1.log

render_by_srun() {
  rm -rf tasks
  srun -n 3 "$roundel" render snow.yaml --frames 0-5 -o tasks/%d.png "${options[@]}" 2>srun.log
}
options=()
render_by_srun || :  # tasks meet frames of others
[[ $(grep -c 'each of the 3 tasks of srun draws all frames; .*--shard auto' srun.log) == 1 ]] ||
  fail "no warning of three exports of all frames: $(cat srun.log)"
for options in "--shard auto" "--resume"; do
  read -ra options <<<"$options"
  render_by_srun || fail "srun with ${options[*]}: $(cat srun.log)"
  diff <(cd expected && md5sum {0..5}.png) <(cd tasks && md5sum {0..5}.png) || fail "${options[*]}: frames differ"
  ! grep -q 'each of the' srun.log || fail "${options[*]}: $(cat srun.log)"
done

#!/usr/bin/env bash
# container_test.sh [OPTION...]: runs all steps of tools/container/Dockerfile in a bare root (bare_machine.sh, which has
# the options), then renders a scene by the command and by the module. For machines without a container runtime; takes
# as long as a whole build. Exit codes: 0 passed, 1 failed, 77 skipped because the machine does not allow it.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")

# The root has one stage only, and the repository in /roundel.
steps=
while IFS= read -r line; do
  case $line in
    '' | '#'* | FROM\ * | 'COPY . /roundel' | 'COPY --from=build /packages /packages' | ENTRYPOINT\ *) ;;
    ARG\ *=*) steps+="${line#ARG }"$'\n' ;;
    RUN\ *) steps+="${line#RUN } >>/step.log 2>&1 || { tail -n 40 /step.log; exit 1; }"$'\n' ;;
    WORKDIR\ *) steps+="mkdir -p ${line#WORKDIR } && cd ${line#WORKDIR }"$'\n' ;;
    *) echo "container_test: not known here: $line" >&2 && exit 1 ;;
  esac
done <"$here/../../tools/container/Dockerfile"
steps+='roundel render /usr/share/roundel/scenes/rgb.yaml -o a.png
python3 -c "import roundel; roundel.save(\"/usr/share/roundel/scenes/rgb.yaml\", \"b.png\")"
cmp a.png b.png'
BARE_MACHINE_COMMAND=$steps exec "$here/bare_machine.sh" "$@"

#!/usr/bin/env bash
# container_test.sh PACKAGES [OPTION...]: runs the steps of tools/container/Dockerfile in a bare root (bare_machine.sh,
# which has the options), with the Debian packages in the folder PACKAGES. Then a user without a name renders a scene by
# the command and by the module, as after docker run --user. For machines without a container runtime.
# Exit codes: 0 passed, 1 failed, 77 skipped: no packages, or the machine does not allow it.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
packages=$(realpath "${1:?usage: container_test.sh PACKAGES [OPTION...]}")
shift
compgen -G "$packages/roundel_*.deb" >/dev/null || {
  echo "skipped: no packages in $packages (cpack makes some)"
  exit 77
}

# The root is the base image, and its /packages the build's context.
steps='mv /packages /context'$'\n'
while IFS= read -r line; do
  case $line in
    '' | '#'* | ARG\ BASE=* | FROM\ *BASE) ;;
    COPY\ *) steps+="mkdir -p ${line##* } && (cd /context && cp ${line#COPY })"$'\n' ;;
    RUN\ *) steps+="{ ${line#RUN }; } >>/step.log 2>&1 || { tail -n 40 /step.log; exit 1; }"$'\n' ;;
    ENV\ *) steps+="export ${line#ENV }"$'\n' ;;
    WORKDIR\ *) steps+="mkdir -p ${line#WORKDIR } && cd ${line#WORKDIR }"$'\n' ;;
    ENTRYPOINT\ *) entry=${line//[^a-z ]/} ;;
    *) echo "container_test: not known here: $line" >&2 && exit 1 ;;
  esac
done <"$here/../../tools/container/Dockerfile"
# shellcheck disable=SC2016  # expanded by the inner shell
steps+='test ! -e /packages
chown 1234:1234 .
user="setpriv --reuid=1234 --regid=1234 --clear-groups env -u HOME"
$user '$entry' render /usr/share/roundel/scenes/rgb.yaml -o a.png
$user python3 -c "import roundel; roundel.save(\"/usr/share/roundel/scenes/rgb.yaml\", \"b.png\")"
cmp a.png b.png
test "$(stat -c %u:%g a.png b.png | uniq)" = 1234:1234'
BARE_MACHINE_COMMAND=$steps exec "$here/bare_machine.sh" "--packages=$packages" "$@"

#!/usr/bin/env bash
# Makes reports and views them in Chromium: report_test.sh REPORT_SAMPLE [--many]. With --many it times the opening of a
# report of 10,000 pairs, which takes a minute and 1 GB of disk, too much for a daily test. Exit code 77, with the
# reason, if a program is missing; ROUNDEL_REQUIRE_BROWSER=1 makes it a failure. ROUNDEL_SCREENSHOTS=FOLDER keeps
# pictures of the page.
set -euo pipefail
here=$(dirname "$(realpath "$0")")

# missing REASON
missing() {
  echo "skipped: $1"
  [[ ${ROUNDEL_REQUIRE_BROWSER:-} == 1 ]] && exit 1
  exit 77
}

command -v node >/dev/null || missing "needs Node (packages nodejs and npm)"
(($(node -p 'process.versions.node.split(".")[0]') >= 18)) || missing "needs Node 18 or newer, got $(node --version)"
browser=$(type -P chromium chromium-browser google-chrome | head -n 1 || :)
[[ -n $browser ]] || missing "needs a browser (package chromium)"
[[ -d $here/node_modules/playwright-core && -d $here/node_modules/axe-core ]] ||
  missing "needs playwright-core and axe-core (npm ci in tests/report)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$@" "$folder"
tests=(report_test viewer_test page_test)
[[ ${2:-} != --many ]] || tests=(many_test)
for name in "${tests[@]}"; do
  ROUNDEL_BROWSER=$browser node "$here/$name.js" "$folder"
done

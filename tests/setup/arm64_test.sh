#!/usr/bin/env bash
# arm64_test.sh CMAKE BUILD_DIR ROUNDEL: builds the preset arm64 in BUILD_DIR/arm64 and runs the program under emulation:
# it writes the same files as ROUNDEL. The first run takes the network and tens of minutes.
# Exit codes: 0 passed, 1 failed, 77 skipped because the machine does not allow it.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cmake=$1 folder=$(realpath "$2")/arm64 native=$(realpath "$3")
skip() {
  echo "skipped: $*"
  exit 77
}
for tool in aarch64-linux-gnu-g++ apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "no qemu-aarch64-static (qemu-user-static)"

# The libraries and the build are kept between runs.
root=$folder/root build=$folder/build
if [[ ! -e $root/complete || $source_dir/tools/packages.sh -nt $root/complete || $source_dir/tools/arm64-root -nt $root/complete ]]; then
  rm -rf "$folder"
  mkdir "$folder"
  status=0
  "$source_dir/tools/arm64-root" "$root" || status=$?
  ((status != 75)) || skip "no archive of packages"
  ((status == 0)) || fail "tools/arm64-root: exit code $status"
  touch "$root/complete"
fi
(cd "$source_dir" && expect_exit 0 "$cmake" --preset arm64 -B "$build" -DROUNDEL_ARM64_ROOT="$root" -DROUNDEL_WERROR=ON \
  -DROUNDEL_COLD_OPTIMIZATION=-O0)
"$cmake" --build "$build" --parallel "$(nproc)" >"$work/build.log" 2>&1 || fail "$(tail -n 40 "$work/build.log")"

program=$build/tools/roundel/roundel
arm64() { "$emulator" -L "$root" "$program" "$@"; }
arm64 info >"$work/info"
expect_text '^ *vectors +NEON$' "$work/info"

# Not every processor has the extension crypto, for which Highway's functions are compiled.
aarch64-linux-gnu-objdump -d --no-show-raw-insn "$program" |
  awk '$2 ~ /^(aes|sha1|sha256|sha512)/ || $2 ~ /^pmull2?$/ && /\.1q/' >"$work/crypto"
[[ ! -s $work/crypto ]] || fail "instructions of the extension crypto: $(head -n 5 "$work/crypto")"

cd "$work"
printf 'x,y,mass,kind\n' >rows.csv
for ((i = 0; i < 300; ++i)); do echo "$((i * 37 % 101)),$((i * i % 97)),$((i % 13)).$((i % 7)),$((i % 4))"; done >>rows.csv
cat >rows.yaml <<'YAML'
version: 1
image: {width: 160, height: 120, bits: 16, alpha: true, antialias: true, blend: linear}
view: {fit: data}
layers:
  - data: rows.csv
    where: {kind: {in: [0, 1, 3]}}
    map: {x: x, y: y, radius: {column: mass, range: [1px, 6px]}, color: {column: mass, colormap: viridis, domain: [2%, 98%]}, alpha: 0.6}
    stroke: {width: 1px, color: "#ffffff"}
  - {blend: add, random: {count: 200, radius: {uniform: [0, 9]}, color: "#80c0ff", alpha: 0.3}}
YAML
scenes=()
for name in biglittle bokeh bouncingballs fireworks hypnosis light littlebig pattern rand10k rand100k rgb rgby rings snow \
  snowsingle tissue title winter zoom; do
  scenes+=("$source_dir/scenes/$name.yaml")
done
# draw FOLDER COMMAND...: the same files from either program.
draw() {
  local out=$1 status=0
  shift
  mkdir "$out"
  "$@" render "${scenes[@]}" --size 128x96 --format png -o "$out/plain/" --quiet
  "$@" render "${scenes[@]}" --size 96x72 --antialias --format pfm -o "$out/smooth/" --quiet
  "$@" render "${scenes[8]}" --size 128x96 --crop 17,5,61,43 -o "$out/crop.png" --quiet
  "$@" render "${scenes[2]}" --size 64x64 --frames 7,50 -o "$out/film_##.png" --quiet
  "$@" render rows.yaml -o "$out/rows.png" --quiet
  "$@" legend rows.yaml -o "$out/legend.svg"
  "$@" circles "${scenes[13]}" --frame 40 -o "$out/snow.npy"
  "$@" explain rows.yaml --pixel 80,60 --json >"$out/explained.json"
  (cd "$out" && "$@" diff plain/rings.png plain/rgb.png --flip --ssim --json) >"$out/compared.json" || status=$?
  ((status == 1)) || fail "diff: expected exit code 1, got $status"
  (cd "$out" && find . -type f -exec sha256sum {} + | sort -k 2) >"$out.sums"
}
draw native "$native"
draw emulated arm64
files=$(wc -l <native.sums)
((files >= 2 * ${#scenes[@]} + 8)) || fail "only $files files: $(cat native.sums)"
diff native.sums emulated.sums || fail "files that differ"
# Another version of OpenEXR may pack the same pixels differently.
"$native" render rows.yaml -o a.exr --quiet
arm64 render rows.yaml -o b.exr --quiet
expect_exit 0 "$native" diff a.exr b.exr
echo "$files files are the same"

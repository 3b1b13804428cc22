#!/usr/bin/env bash
# Compares a scene of scenes/ at 96 × 96 pixels with its golden, pixel for pixel: golden_test.sh ROUNDEL BACKEND SCENE
# OUTPUT. Exit code 77 if the backend has no device; ROUNDEL_REQUIRE_CUDA=1 makes that a failure. After a failure the
# picture is in OUTPUT, and the last line tells how to accept it.
set -uo pipefail
roundel=$1 backend=$2 scene=$3 output=$4

messages=$("$roundel" regress "scenes/$scene.yaml" --size 96x96 --goldens tests/golden/images \
  --backend "$backend" --output "$output" 2>&1)
status=$?
echo "$messages"
if ((status != 0)) && [[ ${ROUNDEL_REQUIRE_CUDA:-} != 1 ]]; then
  case $messages in
    *"no CUDA device is present"* | *"module for CUDA is not installed"*)
      echo "needs a GPU"
      exit 77
      ;;
  esac
fi
exit "$status"

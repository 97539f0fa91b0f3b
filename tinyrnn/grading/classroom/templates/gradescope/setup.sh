#!/usr/bin/env bash
# Runs once, as root, when the image is built: Python 3.11 or newer with pinned packages in /opt, where the users
# without rights that run students' code can read it; the exercises and the secret where only root can.
set -euo pipefail

root="${AUTOGRADER:-/autograder}"
venv="${TINYRNN_VENV:-/opt/tinyrnn}"

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for python in python3.14 python3.13 python3.12 python3.11 python3; do
        if command -v "$python" >/dev/null && new_enough "$python" && "$python" -c 'import ensurepip' 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

if ! python="$(find_python)"; then
    apt-get update
    apt-get install -y --no-install-recommends python3 python3-venv
    if ! new_enough python3; then # as on Ubuntu 22.04
        apt-get install -y --no-install-recommends python3.11 python3.11-venv
    fi
    python="$(find_python)"
fi

umask 022
"$python" -m venv "$venv"
from=()
[ -d "$root/source/wheels" ] && from=(--no-index --find-links "$root/source/wheels")
"$venv/bin/python" -m pip install --no-cache-dir --disable-pip-version-check "${from[@]}" \
    -r "$root/source/requirements.txt" "$root"/source/tinyrnn-*.whl
"$venv/bin/python" -c 'import tinyrnn.grading.classroom.on_gradescope'

chown -R "$(id -u):$(id -g)" "$root/source"
chmod -R go-rwx "$root/source"

#!/usr/bin/env bash
# Builds the validation workloads where there is no CMake, only nvcc: all of them, or those named,
# each in a job of its own, into OUT_DIR, with the Python ones and workloads.json beside them.
#
# usage: validation/build.sh OUT_DIR [NAME...]
#
# A workload that cannot be built is reported in a line `NAME: not built: first error line` and left
# out. Exit status 0 if any was built, 1 if none, 2 for a wrong call.
# NVCC names the compiler (default: in the path, else /usr/local/cuda/bin/nvcc), NVCC_FLAGS the
# architectures (default: 8.0 and 9.0, and code that the driver compiles for later ones).

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

compiled=(sgemm fft jpeg stereo black_scholes quasirandom nbody barnes_hut transfers conv2d mm2
          vector_add)
scripts=(resnet50 retinanet bert)

show_help() { sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; }

# The toolkit that nvcc belongs to; a link to nvcc, as Debian has one, is followed.
toolkit() { dirname "$(dirname "$(readlink -f "$nvcc")")"; }

# library NAME: path of libNAME.so*, from the toolkit, else from NVIDIA's or torchvision's wheels;
# nothing if there is none. Wheels have no libNAME.so, so the linker is given the file's full name.
library() {
  local folder file
  while IFS= read -r folder; do
    for file in "$folder/lib$1".so "$folder/lib$1".so.* "$folder/lib$1"-*.so.*; do
      if [[ -e $file ]]; then
        printf '%s\n' "$file"
        return
      fi
    done
  done <<<"$library_folders"
}

wheel_folders() {
  python3 - 2>/dev/null <<'PYTHON'
import glob, sysconfig
for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
    for pattern in ("nvidia/cu1[0-9]/lib", "nvidia/*/lib", "torchvision.libs"):
        print(*sorted(glob.glob(f"{site}/{pattern}")), sep="\n")
PYTHON
}

# build NAME: compiles OUT_DIR/NAME; what the compiler says to a failure stays in OUT_DIR/NAME.log.
build() {
  local name=$1 path
  local link=()
  rm -f "$out/$name"
  for wanted in ${libraries[$name]:-}; do
    path=$(library "$wanted")
    if [[ -z $path ]]; then
      printf 'error: lib%s was not found\n' "$wanted" >"$out/$name.log"
      return 1
    fi
    link+=(-L "$(dirname "$path")" -l ":$(basename "$path")" -Xlinker "-rpath=$(dirname "$path")")
  done
  if [[ $name == jpeg ]]; then  # loads its library itself
    path=$(library nvjpeg)
    [[ -n $path ]] && ln -sf "$path" "$out/libnvjpeg.so.13"
    # shellcheck disable=SC2016
    link+=(-ldl -Xlinker '-rpath=$ORIGIN')
  fi
  # Under another name first: a program that is there is whole.
  "$nvcc" -std=c++17 -O3 "${flags[@]}" -o "$out/$name.new" "$here/$name.cu" "${link[@]}" \
    >"$out/$name.log" 2>&1 && mv "$out/$name.new" "$out/$name" && rm "$out/$name.log"
}

# report NAME: the line for a workload that was not built.
report() {
  local line
  line=$(grep -m 1 -i error "$out/$1.log" || head -n 1 "$out/$1.log")
  printf '%s: not built: %s\n' "$1" "${line:-nvcc said nothing}"
}

if [[ ${1:-} == --help ]]; then
  show_help
  exit 0
elif [[ $# -lt 1 || $1 == -* ]]; then
  show_help >&2
  exit 2
fi
out=$1
shift
names=("$@")
[[ $# -eq 0 ]] && names=("${compiled[@]}" "${scripts[@]}")

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
read -ra flags <<<"${NVCC_FLAGS:--gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]}"
declare -A libraries=([sgemm]=cublas [fft]=cufft)
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
library_folders=$(printf '%s\n' "$(toolkit)/lib64" "$(toolkit)/lib" "$(toolkit)/lib/x86_64-linux-gnu"; wheel_folders)

cp "$here/workloads.json" "$here/workload.py" "$out" || exit 1
built=0
declare -A jobs
for name in "${names[@]}"; do
  if [[ " ${compiled[*]} " == *" $name "* ]]; then
    build "$name" &
    jobs[$name]=$!
  elif [[ " ${scripts[*]} " == *" $name "* ]]; then
    cp "$here/$name.py" "$out" && built=$((built + 1))
  else
    printf '%s: not built: there is no such workload\n' "$name"
  fi
done
for name in "${names[@]}"; do
  [[ -n ${jobs[$name]:-} ]] || continue
  if wait "${jobs[$name]}"; then
    built=$((built + 1))
  else
    report "$name"
  fi
done
[[ $built -gt 0 ]]

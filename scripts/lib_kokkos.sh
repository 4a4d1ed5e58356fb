# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Finds Kokkos or builds it; sourced by setup.sh, which defines install_now, apt_update and
# can_be_root. The order of the routes is in try_all_routes, near the end of this file.
# shellcheck shell=bash disable=SC2154  # repo comes from lib.sh

readonly kokkos_oldest=3.4
readonly kokkos_release=4.6.01
readonly kokkos_release_commit=1b1383c6001f3bfe9fe309ca923c2d786600cc79
kokkos_url=${TESSERA_KOKKOS_URL:-https://github.com/kokkos/kokkos.git}
kokkos_tag=${TESSERA_KOKKOS_TAG:-$kokkos_release}
# Somebody who names a source wants that one, not whatever is installed.
kokkos_chosen=${TESSERA_KOKKOS_URL:+yes}${TESSERA_KOKKOS_TAG:+yes}

kokkos_prefix=$repo/.deps/kokkos
kokkos_needs=OPENMP
kokkos_stamp=$repo/.deps/kokkos.stamp

# What the answer in the stamp depends on. A change of any of it asks anew.
kokkos_key() {
  echo "$kokkos_prefix|${Kokkos_ROOT:-}|${Kokkos_DIR:-}|${CMAKE_PREFIX_PATH:-}|$kokkos_chosen|$kokkos_url|$kokkos_tag"
}

# stamp_value NAME: prints what the stamp holds, nothing without a stamp.
stamp_value() { sed -n "s/^$1=//p" "$kokkos_stamp" 2> /dev/null || true; }

stamp_is_valid() {
  local folder
  folder=$(stamp_value folder)
  [ "$(stamp_value key)" = "$(kokkos_key)" ] && [ -e "$folder/KokkosConfig.cmake" ]
}

is_recent() { [ "$(printf '%s\n' "$kokkos_oldest" "$1" | sort -V | head -n 1)" = "$kokkos_oldest" ]; }

# Asks CMake, as the build will: sets kokkos_folder and kokkos_version, or says why not.
find_kokkos() {
  local probe answer devices
  probe=$(mktemp -d)
  cat > "$probe/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(probe LANGUAGES CXX)
find_package(Kokkos CONFIG QUIET)
if(Kokkos_FOUND)
  message(STATUS "answer|${Kokkos_DIR}|${Kokkos_VERSION}|${Kokkos_DEVICES}|")
endif()
CMAKE
  answer=$(cmake -S "$probe" -B "$probe/build" -DCMAKE_PREFIX_PATH="$kokkos_prefix" 2> /dev/null |
    sed -n 's/^-- answer|//p') || answer=
  rm -rf "$probe"
  IFS='|' read -r kokkos_folder kokkos_version devices _ <<< "$answer"
  if [ -z "$kokkos_folder" ]; then return 1; fi
  kokkos_suits "$devices" || return 1
}

# kokkos_suits DEVICES: whether the Kokkos found is recent enough and has the devices we need.
kokkos_suits() {
  local reason=
  if ! is_recent "$kokkos_version"; then
    reason="is older than $kokkos_oldest"
  elif [[ $1 != *SERIAL* || $1 != *"$kokkos_needs"* ]]; then
    reason="was built without Serial or OpenMP"
  elif [[ $1 == *CUDA* ]]; then
    reason="was built for CUDA, which preset cuda alone takes"
  fi
  if [ -z "$reason" ]; then return 0; fi
  say "Kokkos $kokkos_version in $kokkos_folder $reason; looking further"
  return 1
}

# build_kokkos SOURCE: compiles the host library into the prefix, as relocatable code without
# processor flags, so that tessera's own flags decide. Kokkos 3.4 forgets <cstdint>, which GCC 13
# and later no longer include by chance.
build_kokkos() {
  local source=$1 log=$repo/.deps/kokkos-build.log
  say "building Kokkos into $kokkos_prefix (under a minute on 2 cores; log: $log)"
  if [ "$kokkos_prefix" = "$repo/.deps/kokkos" ]; then rm -rf "$kokkos_prefix"; fi
  {
    cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_FLAGS="-include cstdint" \
      -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
      -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_TESTS=OFF \
      -DKokkos_ENABLE_EXAMPLES=OFF -DBUILD_SHARED_LIBS=OFF \
      -DCMAKE_INSTALL_PREFIX="$kokkos_prefix" -DCMAKE_INSTALL_LIBDIR=lib &&
      cmake --build "$source/build" --parallel "$(jobs)" --target install
  } > "$log" 2>&1 || {
    tail -n 20 "$log" >&2
    say "this Kokkos does not build here"
    return 1
  }
  find_kokkos
}

# The upstream release. Without a network this gives up after 20 seconds at the latest.
kokkos_from_git() {
  local work=$1
  say "asking $kokkos_url for Kokkos $kokkos_tag"
  export GIT_TERMINAL_PROMPT=0
  if ! timeout 20 git ls-remote --exit-code "$kokkos_url" "$kokkos_tag" > /dev/null 2>&1; then
    say "no answer from there"
    return 1
  fi
  timeout 600 git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$kokkos_tag" \
    "$kokkos_url" "$work/upstream" || return 1
  if [ "$kokkos_tag" = "$kokkos_release" ] &&
    [ "$(git -C "$work/upstream" rev-parse HEAD)" != "$kokkos_release_commit" ]; then
    say "tag $kokkos_tag is not the commit it was ($kokkos_release_commit), so it is not used"
    return 1
  fi
  build_kokkos "$work/upstream"
}

# write_source_entries FOLDER: the machine's own package sources, once more, for source packages.
write_source_entries() {
  local folder=$1 file
  mkdir -p "$folder"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [ ! -r "$file" ]; then continue; fi
    sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" > "$folder/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    if [ ! -r "$file" ]; then continue; fi
    sed 's/^Types:.*/Types: deb-src/' "$file" > "$folder/$(basename "$file")"
  done
}

# The Kokkos inside the distribution's source package of Trilinos (3.4.01 in Debian 12 and 13).
# apt works on lists of its own below the work folder: nothing in /etc/apt or /var/lib/apt changes.
kokkos_from_trilinos_source() {
  local work=$1/trilinos options archive
  have apt-get || return 1
  say "fetching the distribution's source package trilinos, which has Kokkos inside (about 170 MB)"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/source"
  write_source_entries "$work/sources"
  options=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources"
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
  # Some entry may have no source packages. Then the others still count.
  apt-get "${options[@]}" update > "$work/apt.log" 2>&1 || true
  (cd "$work" && apt-get "${options[@]}" source --download-only trilinos >> apt.log 2>&1) || true
  # apt gives a file its name once its signed checksum fits, so this one file is all we need.
  archive=$(compgen -G "$work/trilinos_*.orig.tar.*" | head -n 1) || archive=
  if [ -z "$archive" ]; then
    tail -n 3 "$work/apt.log" >&2
    say "there is no such source package"
    return 1
  fi
  tar -xf "$archive" -C "$work/source" --wildcards '*/packages/kokkos/*' || return 1
  build_kokkos "$(echo "$work"/source/*/packages/kokkos)"
}

# kokkos_from_package NAME: a package of the distribution, if it is recent enough.
kokkos_from_package() {
  local package=$1 candidate
  if [ -n "${CMAKE_TOOLCHAIN_FILE:-}" ]; then return 1; fi  # it would be for this machine
  have apt-get && can_be_root || return 1
  apt_update
  candidate=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
  if [ -z "$candidate" ] || [ "$candidate" = "(none)" ]; then return 1; fi
  if [ "$package" = libkokkos-dev ] && ! is_recent "$candidate"; then
    say "the distribution's $package $candidate is older than $kokkos_oldest"
    return 1
  fi
  install_now "$package"
  find_kokkos
}

# The last resort runs on one thread a rank: the distribution builds it without OpenMP.
kokkos_without_openmp() {
  kokkos_needs=
  kokkos_from_package libtrilinos-kokkos-dev || return 1
  say "this Kokkos has no OpenMP, so each rank computes on one thread; start one rank a core"
}

write_stamp() {
  cat > "$kokkos_stamp" << STAMP
key=$(kokkos_key)
folder=$kokkos_folder
version=$kokkos_version
route=$1
STAMP
}

# try_route NAME COMMAND...: keeps the first route that leads to a Kokkos.
try_route() {
  local name=$1
  shift
  "$@" || return 1
  write_stamp "$name"
  say "Kokkos $kokkos_version ($name) is in $kokkos_folder"
}

# The order of preference: what is there, what the distribution keeps up to date, the release,
# and last the older Kokkos that the distribution has inside Trilinos.
try_all_routes() {
  local work=$1
  if [ -n "$kokkos_chosen" ]; then
    try_route "Kokkos $kokkos_tag from $kokkos_url" kokkos_from_git "$work" && return
    die "Kokkos $kokkos_tag could not be had from $kokkos_url; correct TESSERA_KOKKOS_URL and TESSERA_KOKKOS_TAG or unset them"
  fi
  try_route "installed" find_kokkos && return
  try_route "package libkokkos-dev" kokkos_from_package libkokkos-dev && return
  try_route "upstream release" kokkos_from_git "$work" && return
  try_route "source package trilinos" kokkos_from_trilinos_source "$work" && return
  try_route "package libtrilinos-kokkos-dev" kokkos_without_openmp && return
  die "no Kokkos could be found or built; install Kokkos $kokkos_oldest or later with OpenMP and Serial and set Kokkos_ROOT to its prefix"
}

prepare_kokkos() {
  local work
  mkdir -p "$repo/.deps"
  exec {kokkos_lock}> "$repo/.deps/lock"
  flock "$kokkos_lock"
  if stamp_is_valid; then
    say "Kokkos $(stamp_value version) ($(stamp_value route)) is in $(stamp_value folder)"
    return 0
  fi
  work=$(mktemp -d "$repo/.deps/work.XXXXXX")
  # shellcheck disable=SC2064  # the folder's name is wanted as it is now
  trap "rm -rf '$work'" EXIT
  try_all_routes "$work"
}

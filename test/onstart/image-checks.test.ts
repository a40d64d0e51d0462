import { expect, test } from "vitest";
import { runFunctions } from "./support/run-functions.ts";

/** `ldd` says $1 and ends with $2. */
const CHECKS_GLIBC = `ldd() { printf %s "$text"; return "$code"; }; text=$1 code=$2; require_glibc`;

const TOO_OLD = (version: string) => `The image has glibc ${version}: GitHub's actions need 2.28 or newer.`;
const IN_GERMAN = `ldd (GNU libc) 2.36
Copyright (C) 2022 Free Software Foundation, Inc.
Dies ist freie Software 2.17`;

test.each([
  ["Debian 9", "ldd (Debian GLIBC 2.24-11+deb9u4) 2.24\nCopyright", "0", TOO_OLD("2.24")],
  ["Ubuntu 18.04", "ldd (Ubuntu GLIBC 2.27-3ubuntu1.6) 2.27\nCopyright", "0", TOO_OLD("2.27")],
  ["CentOS 7", "ldd (GNU libc) 2.17\nCopyright", "0", TOO_OLD("2.17")],
  ["an old one", "ldd (GNU libc) 2.9", "0", TOO_OLD("2.9")],
  ["musl", "musl libc (x86_64)\nVersion 1.2.5", "1", "Alpine images can't run the GitHub runner: it needs glibc."],
  ["2.28", "ldd (GNU libc) 2.28\nCopyright", "0"],
  ["2.41", "ldd (Debian GLIBC 2.41-12) 2.41\nCopyright", "0"],
  ["a later major version", "ldd (GNU libc) 3.1", "0"],
  ["a development version", "ldd (GNU libc) development release version 2.27.9000", "0"],
  ["nothing at all", "", "0"],
  ["nothing, as there is no ldd", "", "127"],
  ["something else", "usage: ldd FILE\n2.17", "2"],
  ["a number of another thing", "ldd: 12.17", "0"],
  ["another language", IN_GERMAN, "0"],
])("judges an image by the glibc that its ldd tells: %s", (_, ldd, code, refusal = "") => {
  const { said, status } = runFunctions(CHECKS_GLIBC, ldd, code);
  expect({ said: said.replace(/^\S+Z ghr: /, "").trimEnd(), status }).toEqual({
    said: refusal,
    status: refusal ? 1 : 0,
  });
});

/** PATH has one program: an nvidia-smi that is the lines $1, none if they are empty. `NVIDIA_DRIVER_CAPABILITIES`: $2. */
const CHECKS_GPUS = `mkdir bin
[[ -z $1 ]] || { printf '#!/bin/bash\\n%s\\n' "$1" >bin/nvidia-smi; chmod +x bin/nvidia-smi; }
[[ $2 == unset ]] || export NVIDIA_DRIVER_CAPABILITIES=$2
GHR_NUM_GPUS=2 PATH=$PWD/bin
check_gpus`;
const GPUS =
  "echo 'GPU 0: H100 (UUID: GPU-0)'; echo '  MIG 1g.10gb Device 0: (UUID: MIG-0)'; echo 'GPU 1: H100 (UUID: GPU-1)'";
const MANY =
  'for n in 0 1 2 3 4 5 6; do echo "GPU $n: NVIDIA H100 80GB HBM3 (UUID: GPU-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f$n)"; done';
const LOST =
  "Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU";
const MEGABYTE = "printf -v text '%1000s' x; for ((n = 0; n < 1000; n++)); do echo \"$text\"; done";

test.each([
  ["two GPUs, and their parts", GPUS],
  ["two GPUs, and then 1 MB", `${GPUS}; ${MEGABYTE}`],
])("takes an nvidia-smi that lists %s", (_, lines) => {
  expect(runFunctions(CHECKS_GPUS, lines, "unset")).toMatchObject({ status: 0, said: "" });
});

test.each([
  ["lists nothing", ":", "nvidia-smi sees 0 of 2 GPUs."],
  ["lists 1 MB of something else", MEGABYTE, `nvidia-smi sees 0 of 2 GPUs.${"x".padStart(1001).slice(0, 300)}`],
  ["lists NUL bytes", "printf 'GPU 0\\0\\0\\n'", "nvidia-smi sees 1 of 2 GPUs."],
  ["ends by a signal", "kill -KILL $$", "nvidia-smi fails: (code 137)"],
  ["fails without a word", "exit 12", "nvidia-smi fails: (code 12)"],
  ["fails in two lines", "echo one; echo two >&2; exit 9", "nvidia-smi fails: one two (code 9)"],
  ["fails with 1 MB", `${MEGABYTE}; exit 9`, `nvidia-smi sees 0 of 2 GPUs.${"x".padStart(1001).slice(0, 300)}`],
  ["lost one of many, and fails", `${MANY}; echo '${LOST}'; exit 15`, `nvidia-smi fails: ${LOST} (code 15)`],
  ["lost one", `${GPUS.split("; ")[0]}; echo '${LOST}'`, `nvidia-smi sees 1 of 2 GPUs. ${LOST}`],
])("refuses an nvidia-smi that %s", (_, lines, words) => {
  const { said, status } = runFunctions(CHECKS_GPUS, lines, "unset");
  expect(status).toBe(1);
  expect(said.split("\n").at(-2)).toMatch(/^\S+Z ghr: /);
  expect(said.split("\n").at(-2)?.slice("2026-11-26T10:00:00Z ghr: ".length)).toBe(words);
});

test.each([
  ["unset", ""],
  ["", ""],
  ["all", ""],
  ["compute,utility", ""],
  ["compute", ": NVIDIA_DRIVER_CAPABILITIES is compute, and lacks utility"],
  ["compute,video", ": NVIDIA_DRIVER_CAPABILITIES is compute,video, and lacks utility"],
])("says that there is no nvidia-smi, with capabilities %j", (capabilities, why) => {
  const { said, status } = runFunctions(CHECKS_GPUS, "", capabilities);
  expect(status).toBe(1);
  expect(said).toMatch(new RegExp(` ghr: There is no nvidia-smi in this image${why}\\.\n$`));
});

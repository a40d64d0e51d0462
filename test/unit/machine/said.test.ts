import { describe, expect, test } from "vitest";
import { judgeText } from "../../../src/machine/said.ts";

const MANIFEST = "https://ghcr.io/v2/octo/gpu/manifests/7";
const DAEMON = "Error response from daemon: ";
const REFERENCE = 'failed to resolve reference "docker.io/octo/gpu:7": ';

/** What registries, daemons and hosts were seen to say, by who is to blame. */
const SAID = {
  login: [
    "no basic auth credentials",
    `${DAEMON}pull access denied for octo/gpu, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`,
    `${REFERENCE}unexpected status from HEAD request to ${MANIFEST}: 403 Forbidden`,
    `${REFERENCE}failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/token?scope=repository%3Aocto%2Fgpu%3Apull: 401 Unauthorized`,
    "Error saving credentials: error storing credentials - err: exit status 1, out: ``, unauthorized: bad credentials",
    `${DAEMON}unknown: {"errors":[{"code":"FORBIDDEN","message":"the user does not have permission"}]}`,
    "error logging into registry: invalid username/password",
    `${DAEMON}error from registry: unauthorized\nunauthorized`,
    `${DAEMON}Get https://ghcr.io/v2/: denied`,
  ],
  host: [
    `${REFERENCE}failed to do request: Head "${MANIFEST}": dial tcp: lookup ghcr.io on 127.0.0.53:53: no such host`,
    `${REFERENCE}unexpected status from HEAD request to ${MANIFEST}: 502 Bad Gateway`,
    "You have reached your pull rate limit.",
    "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-26T14:00:00Z is after 2026-01-01T00:00:00Z",
    "Container failed to start",
    `${DAEMON}Conflict. The container name "/C.7" is already in use by container "abc". You have to remove (or rename) that container to be able to reuse that name.`,
    "unable to start instance",
    `${DAEMON}no space left on device`,
    "unexpected EOF",
    `${DAEMON}could not select device driver "" with capabilities: [[gpu]]`,
    `${DAEMON}failed to set up container networking: Bind for 0.0.0.0:40001 failed: port is already allocated`,
    // Connections.
    `${DAEMON}Get "https://ghcr.io/v2/": http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR`,
    "Get https://registry-1.docker.io/v2/: EOF",
    // Layers and disks.
    `${DAEMON}content digest sha256:abc: not found`,
    `${DAEMON}layer does not exist`,
    'failed commit on ref "layer-sha256:abc": "layer-sha256:abc" failed size validation: 1234 != 5678: failed precondition',
    `${DAEMON}failed to mount overlay: invalid argument`,
    `${DAEMON}devmapper: Thin Pool has 0 free data blocks which is less than minimum required 163840 free data blocks`,
    // Docker, its parts and its networks.
    "ttrpc: closed: unknown",
    `${DAEMON}cgroups: cgroup mountpoint does not exist: unknown`,
    `${DAEMON}failed to create task for container: failed to initialize logging driver: failed to create fluentd`,
    `${DAEMON}failed to create endpoint C.7 on network bridge: adding interface veth1 to bridge docker0 failed: could not find bridge docker0`,
    `${DAEMON}network bridge not found`,
    `${DAEMON}could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network`,
    `${DAEMON}Pool overlaps with other one on this address space`,
    `${DAEMON}No such container: C.7`,
    `${DAEMON}Container abc is not running`,
    `${DAEMON}cannot join network of a non running container: abc`,
    `${DAEMON}container abc is marked for removal and cannot be started`,
    `Error: failed to start container C.7: ${DAEMON}could not start`,
    // GPUs.
    `${DAEMON}Unknown runtime specified nvidia`,
    `${DAEMON}OCI runtime create failed: unable to retrieve OCI runtime error (open /run/x/log.json): exec: "nvidia-container-runtime": executable file not found in $PATH: unknown`,
    `${DAEMON}error gathering device information while adding custom device "/dev/nvidia0": no such file or directory`,
    "Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  image: [
    `${REFERENCE}docker.io/octo/gpu:7: not found`,
    "manifest unknown",
    "repository does not exist",
    "No such image: a/b:7",
    'OCI runtime create failed: runc create failed: unable to start container process: exec: "bash": executable file not found in $PATH: unknown',
    `${DAEMON}unknown: repository octo/gpu not found`,
    `${DAEMON}unknown: artifact octo/gpu:7 not found`,
    `${DAEMON}unknown: Tag 7 was deleted or has expired. To pull, revive via time machine`,
    `${DAEMON}repository name must be lowercase`,
    `${DAEMON}reference does not exist`,
    `${DAEMON}Get "https://registry.example/v2/": http: server gave HTTP response to HTTPS client`,
    `${DAEMON}no command specified`,
    `${DAEMON}max depth exceeded`,
    `${DAEMON}[DEPRECATION NOTICE] Docker Image Format v1 and Docker Image manifest version 2, schema 1 support is disabled by default`,
    `${DAEMON}unsupported media type application/vnd.docker.distribution.manifest.v1+prettyjws`,
  ],
  platform: [
    "no matching manifest for linux/amd64 in the manifest list entries",
    "exec /bin/bash: exec format error",
    "image operating system/architecture linux/arm64 does not match the host",
    'failed to pull and unpack image "x": no match for platform in manifest sha256:01: not found',
    `${DAEMON}The requested image's platform (linux/arm64/v8) does not match the detected host platform (linux/amd64/v4) and no specific platform was requested`,
    `${DAEMON}choosing an image from manifest list docker://x: no image found in image index for architecture "amd64", variant "", OS "linux"`,
  ],
  driver: [
    "failed to create shim task: OCI runtime create failed: runc create failed: error running hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown",
    "nvidia-container-cli: requirement error: invalid expression",
    "CUDA driver version is insufficient for CUDA runtime version",
    "ERROR: This container was built for NVIDIA Driver Release 570.86 or later, but version 535.183.01 was detected and compatibility mode is UNAVAILABLE.",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver",
    "forward compatibility was attempted on non supported HW",
  ],
  "going on": [
    "5a7813e071bf: Retrying in 5 seconds",
    "5a7813e071bf: Waiting\n6b7813e071bf: Pulling fs layer: unauthorized",
    "#12 34.56 E: 403 Forbidden: no such host",
    " => ERROR-free [2/5] RUN pip install x: connection refused  12.3s",
    "Step 3/9 : RUN curl https://x || echo manifest unknown",
    "Using default tag: latest\n7: Pulling from octo/denied",
    "Pulling image octo/denied:7",
    "Digest: sha256:5a7813e071bf",
    "Status: Downloaded newer image for octo/denied:7",
    " ---> Running in 5a7813e071bf",
    "docker.io/octo/denied:7: resolving      |--------|\nlayer-sha256:5a7813e071bf: downloading |++++--| 12.0 MiB/99 MiB",
  ],
} as const;

describe.each(Object.entries(SAID))("to blame: %s", (blame, texts) => {
  test.each(texts)("%s", (text) => {
    expect(judgeText(text)).toBe(blame);
  });
});

test.each([DAEMON, ""])("a wrapper or an unknown text decides nothing: %j", (text) => {
  expect(judgeText(text)).toBeUndefined();
});

test.each(["octo/cgroup", "octo/denied", "octo/timeout-nvml", "ghcr.io/octo/iptables/x"])(
  "the words of the image's name decide nothing: %s",
  (name) => {
    expect(judgeText(`${DAEMON}manifest for ${name}:7 not found: manifest unknown`)).toBe("image");
    expect(judgeText(`failed to resolve reference "${name}:7": ${name}:7: not found`)).toBe("image");
    expect(judgeText(`${DAEMON}unknown: repository ${name} not found`)).toBe("image");
    expect(judgeText(`${DAEMON}pull access denied for ${name}, repository does not exist`)).toBe("login");
    expect(judgeText(`failed to pull ${name}:7: dial tcp: i/o timeout`)).toBe("host");
  },
);

import { describe, expect, test } from "vitest";
import { judgeText } from "../../../src/machine/said.ts";

const MANIFEST = "https://ghcr.io/v2/octo/gpu/manifests/7";
const DAEMON = "Error response from daemon: ";
const REFERENCE = 'failed to resolve reference "docker.io/octo/gpu:7": ';

/** What registries, daemons and hosts were seen to say, by who is to blame. */
const SAID = {
  login: [
    "denied: requested access to the resource is denied",
    "no basic auth credentials",
    "unauthorized: authentication required",
    `${DAEMON}pull access denied for octo/gpu, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`,
    "pull access denied for a/b, repository does not exist or may require 'docker login'",
    `${REFERENCE}unexpected status from HEAD request to ${MANIFEST}: 403 Forbidden`,
    `${REFERENCE}failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/token?scope=repository%3Aocto%2Fgpu%3Apull: 401 Unauthorized`,
    `${DAEMON}Head "${MANIFEST}": denied: denied`,
    `${DAEMON}Head "${MANIFEST}": unauthorized`,
    `${DAEMON}Head "${MANIFEST}": denied`,
    `${DAEMON}denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/p/locations/us/repositories/r" (or it may not exist)`,
    `${DAEMON}denied: Unauthenticated request. Unauthenticated requests do not have permission "artifactregistry.repositories.downloadArtifacts" on resource "projects/p"`,
    `${DAEMON}denied: Your authorization token has expired. Reauthenticate and try again.`,
    `${DAEMON}denied: User: arn:aws:iam::1:user/ci is not authorized to perform: ecr:BatchGetImage on resource: arn:aws:ecr:us-east-1:1:repository/gpu`,
    `${DAEMON}unauthorized: access to the requested resource is not authorized`,
    `${DAEMON}unauthorized: <html> <head><title>401 Authorization Required</title></head> </html>`,
    `${DAEMON}denied: {"errors": [{"code": "DENIED", "message": "Access Denied"}]}`,
    `${DAEMON}Get "https://registry-1.docker.io/v2/": unauthorized: incorrect username or password`,
    `${DAEMON}Get "https://nvcr.io/v2/": unauthorized: authentication required: unknown`,
  ],
  host: [
    `${REFERENCE}unexpected status from GET request to ${MANIFEST}: 429 Too Many Requests toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit`,
    `${REFERENCE}failed to do request: Head "${MANIFEST}": dial tcp 1.2.3.4:443: i/o timeout`,
    `${REFERENCE}failed to do request: Head "${MANIFEST}": dial tcp: lookup ghcr.io on 127.0.0.53:53: no such host`,
    `${REFERENCE}failed to do request: Head "${MANIFEST}": EOF`,
    `${REFERENCE}unexpected status from HEAD request to ${MANIFEST}: 502 Bad Gateway`,
    "toomanyrequests: Rate exceeded",
    "You have reached your pull rate limit.",
    'Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout',
    `${DAEMON}Get https://registry: net/http: TLS handshake timeout`,
    'Get "https://x/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    "read tcp 10.0.0.2:443: read: connection reset by peer",
    "dial tcp 1.2.3.4:443: connect: connection refused",
    "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-26T14:00:00Z is after 2026-01-01T00:00:00Z",
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "Container failed to start",
    `${DAEMON}Conflict. The container name "/C.7" is already in use by container "abc". You have to remove (or rename) that container to be able to reuse that name.`,
    "unable to start instance",
    `${DAEMON}no space left on device`,
    "failed to register layer: write /x: no space left on device",
    "unexpected EOF",
    "OCI runtime create failed: nvidia-container-cli: device error: unknown device",
    `${DAEMON}could not select device driver "" with capabilities: [[gpu]]`,
    `${DAEMON}failed to set up container networking: Bind for 0.0.0.0:40001 failed: port is already allocated`,
  ],
  image: [
    `${REFERENCE}docker.io/octo/gpu:7: not found`,
    "manifest unknown",
    "MANIFEST UNKNOWN: manifest unknown; unknown tag=7",
    `${DAEMON}manifest for a/b:7 not found: manifest unknown: manifest unknown`,
    `${DAEMON}Head "${MANIFEST}": name unknown: repository name not known to registry`,
    "repository does not exist",
    "No such image: a/b:7",
    'OCI runtime create failed: runc create failed: unable to start container process: exec: "bash": executable file not found in $PATH: unknown',
  ],
  platform: [
    "no matching manifest for linux/amd64 in the manifest list entries",
    "exec /bin/bash: exec format error",
    "image operating system/architecture linux/arm64 does not match the host",
  ],
  driver: [
    "failed to create shim task: OCI runtime create failed: runc create failed: error running hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown",
    "nvidia-container-cli: requirement error: invalid expression",
    "CUDA driver version is insufficient for CUDA runtime version",
  ],
  "going on": [
    "5a7813e071bf: Retrying in 5 seconds",
    "5a7813e071bf: Waiting\n6b7813e071bf: Pulling fs layer: unauthorized",
    "#12 34.56 E: 403 Forbidden: no such host",
    "#7 [2/5] RUN apt-get update || echo denied",
    " => ERROR-free [2/5] RUN pip install x: connection refused  12.3s",
    "Step 3/9 : RUN curl https://x || echo manifest unknown",
  ],
} as const;

describe.each(Object.entries(SAID))("to blame: %s", (blame, texts) => {
  test.each(texts)("%s", (text) => {
    expect(judgeText(text)).toBe(blame);
  });
});

test.each([
  DAEMON,
  "Failed to pull image",
  `${REFERENCE}`,
  "error pulling image configuration: download failed",
  'Head "https://registry.example/v2/unauthorized/x:403"',
  "no puede abrir el archivo",
  "镜像拉取失败",
  "",
])("a wrapper or an unknown text decides nothing: %j", (text) => {
  expect(judgeText(text)).toBeUndefined();
});

test("what stands after the lines of progress decides", () => {
  expect(judgeText("5a7813e071bf: Retrying in 5 seconds\nError response from daemon: manifest unknown")).toBe("image");
});

test("the innermost clause decides: words of the image's own name don't", () => {
  expect(judgeText(`failed to pull octo/denied: ${REFERENCE}i/o timeout`)).toBe("host");
  expect(judgeText(`manifest unknown, it seemed, stderr: dial tcp: no route to host`)).toBe("host");
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inputSchema, sweepInputSchema } from "../../../../src/action/inputs/schema.ts";

/** A user must give these; the rest has defaults. */
const NEEDED = {
  "api-key": "key-0123456789",
  "github-token": "github_pat_x",
  "job-token": "ghs_x",
  "max-price": "0.60",
  "max-cost": "none",
  image: "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
};

function read(given: Record<string, string>) {
  return inputSchema.safeParse({ ...NEEDED, ...given });
}

/** The faults, as `input: what is wrong`. */
function faults(given: Record<string, string>): string[] {
  return (read(given).error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
}

test("the least that a user must give, and what action.yml has as defaults for all else", () => {
  const { inputs } = parse(readFileSync("action.yml", "utf8")) as { inputs: Record<string, { default?: string }> };
  const written = Object.entries(inputs).flatMap(([name, { default: text = "${{" }]) =>
    text.includes("${{") || text === "" ? [] : [[name, text]],
  );
  expect(written.length).toBeGreaterThan(30);
  expect(read({}).data).toEqual(read(Object.fromEntries(written)).data);
  expect(read({}).data).toMatchObject({ name: "", "max-price": 0.6, "max-cost": undefined, "job-status": "" });
  expect(read({}).data).toMatchObject({ "strategy-fail-fast": false, "strategy-job-total": 1 });
});

test("an input that is given and empty is an input that is not given", () => {
  const empty = Object.fromEntries(Object.keys(inputSchema.shape).map((name) => [name, ""]));
  expect(inputSchema.safeParse({ ...empty, ...NEEDED }).data).toEqual(read({}).data);
});

/** Input, text, value. */
const GOOD: [keyof typeof inputSchema.shape, string, unknown][] = [
  ["api-key", "a-Key_with~signs!", "a-Key_with~signs!"],
  ["api-url", "https://service.example:8443/base/", "https://service.example:8443/base"],
  ["api-url", "http://127.0.0.1:8001", "http://127.0.0.1:8001"],
  ["api-url", "http://localhost:8001/", "http://localhost:8001"],
  ["api-url", "http://[::1]:8001", "http://[::1]:8001"],
  ["gpu-name", "RTX_4090", ["RTX_4090"]],
  ["gpu-name", "  H100 SXM ", ["H100 SXM"]],
  ["gpu-name", "4090, L40S", ["RTX 4090", "L40S"]],
  ["gpu-name", "RTX 4090, L40S,\r\n  H100 SXM\n\nL40S\n", ["RTX 4090", "L40S", "H100 SXM"]],
  ["num-gpus", "2.0", 2],
  ["max-price", "0.001", 0.001],
  ["max-price", "1000", 1000],
  ["max-traffic-price", "0", 0],
  ["max-traffic-price", "none", undefined],
  ["min-reliability", "0", 0],
  ["min-reliability", "1", 1],
  ["min-compute-cap", "0", 0],
  ["min-cuda", "Auto", "auto"],
  ["min-cuda", "0", 0],
  ["min-inet-down-mbps", "0", 0],
  ["geolocation", "se, US\nCA", ["SE", "US", "CA"]],
  ["datacenter", "True", true],
  [
    "offer-filter",
    '{"a": {"in": [1, "x"]}, "b": {"eq": false, "neq": "y"}}',
    { a: { in: [1, "x"] }, b: { eq: false, neq: "y" } },
  ],
  ["order", "Auto", "auto"],
  ["order", "dlperf_per_dphtotal", "dlperf_per_dphtotal"],
  ["exclude-machines", "40211, 40305\n40211", [40_211, 40_305]],
  ["pricing", "Bid", "bid"],
  ["volume-mount-path", "/cache/a-b/c_d.e", "/cache/a-b/c_d.e"],
  ["volume-mount-path", "/opt/ghr-data", "/opt/ghr-data"],
  ["volume-mount-path", "/opt/data", "/opt/data"],
  ["name", "cuda12-a100", "cuda12-a100"],
  ["name", "3.11", "3.11"],
  ["runner-scope", "Org", "org"],
  ["runner-group-id", "7", 7],
  ["image-login", "-u octo -p s3cret/Token== ghcr.io", "-u octo -p s3cret/Token== ghcr.io"],
  [
    "image-login",
    "-u $oauth -p xxxxxxxx registry.example:5000/team",
    "-u $oauth -p xxxxxxxx registry.example:5000/team",
  ],
  ["template-name", "PyTorch 2.8 (CUDA), für alle", "PyTorch 2.8 (CUDA), für alle"],
  ["runtype", "SSH_DIRECT", "ssh_direct"],
  ["setup", "pip install -e .\r\n\tmake 'all'", "pip install -e .\n\tmake 'all'"],
  ["boot-timeout", "Auto", "auto"],
  ["if-no-machine", "Cancel", "cancel"],
  ["max-cost", "None", undefined],
  ["max-cost-30d", "50", 50],
  ["history", "FALSE", false],
  ["min-credit", "5", 5],
  ["check", "true", true],
  ["disk", "8", 8],
  ["disk", "100.5", 100.5],
  ["machines", "16", 16],
  ["machines", "AUTO", "auto"],
  ["job-minutes", "2.5", 2.5],
  ["hold", "False", false],
  ["wait-for-job", "0s", 0],
  ["wait-for-job", "6h", 21_600_000],
  ["max-lifetime", "1h30m", 5_400_000],
  ["idle-timeout", "30s", 30_000],
  ["boot-timeout", "40m", 2_400_000],
  ["ready-timeout", "1m", 60_000],
  ["attempts", "1", 1],
  ["job-check-run-id", "47000000001", "47000000001"],
  ["job-status", "cancelled", "cancelled"],
  ["strategy-fail-fast", "true", true],
  ["strategy-job-total", "256", 256],
];

test.each(GOOD)("%s: %j", (name, text, value) => {
  expect(read({ [name]: text }).data?.[name]).toEqual(value);
});

/** Images that are taken as they are. */
const IMAGES = [
  ..."ghcr.io/owner/image:v1.2.3-RC1 localhost:5000/a/b__c localhost:5000/a/b:X_1.2-RC library/debian:13".split(" "),
  ..."docker.io/pytorch/pytorch ghcr.io/my-org/a--b/c_d/e__f/g.h:Tag registry-1.example:443/a/b:v1 127.0.0.1:5000/a".split(
    " ",
  ),
  ..."vastai/base-image:@vastai-automatic-tag GHCR.io/owner/image:v1".split(" "),
  `debian@sha256:${"0".repeat(64)}`,
  `debian:13@sha256:${"a".repeat(64)}`,
  `o/${"i".repeat(253)}:v1`,
];

test.each(IMAGES)("image: %s", (image) => {
  expect(read({ image }).data?.image).toBe(image);
});

/** Input, text, what the fault must say. */
const BAD: [keyof typeof inputSchema.shape, string, string][] = [
  ["api-key", "two words", "must be a key or token, without blanks"],
  ["api-key", "key\u00e9", "must be a key or token"],
  ["github-token", "", "must be "],
  ["github-token", "a b", "without blanks"],
  ["job-token", "", "must be "],
  ["api-url", "http://console.vast.ai", "an https address"],
  ["api-url", "http://127.0.0.1.evil.example", "an https address"],
  ["api-url", "https://user:pass@service.example", "without user, query or fragment"],
  ["api-url", "https://service.example/?key=1", "without user, query or fragment"],
  ["api-url", "https://service.example/#top", "without user, query or fragment"],
  ["api-url", "file:///etc/passwd", "an https address"],
  ["gpu-name", "RTX 4090, -x", "such as RTX 4090, several separated by commas or one a line"],
  ["gpu-name", Array.from({ length: 33 }, (_none, number) => `GPU ${number}`).join(), "must be at most 32 entries"],
  ["gpu-name", "x".repeat(65), "such as RTX 4090"],
  ["num-gpus", "0", "a whole number from 1 to 64 GPUs"],
  ["num-gpus", "1.5", "a whole number"],
  ["max-price", "", "must be a number from 0.001 to 1000 USD per hour"],
  ["max-price", "0", "from 0.001"],
  ["max-traffic-price", "no", "must be none or a number from 0 to 1000 USD per GB"],
  ["min-reliability", "1.01", "a number from 0 to 1"],
  ["min-gpu-ram-gb", "24GB", "a number from 0 to 2048 GB"],
  ["min-compute-cap", "890", "a number from 0 to 30 (such as 8.9)"],
  ["min-cuda", "cuda12", "must be auto or a number from 0 to 30 (such as 12.8)"],
  ["min-cpu-cores", "many", "from 0 to 1024 cores"],
  ["min-cpu-ram-gb", "-1", "from 0 to 16384 GB"],
  ["min-inet-down-mbps", "1 Gbit", "must be auto or a number from 0 to 100000 Mbit/s"],
  ["geolocation", "Sweden", "a country's two letters, such as SE"],
  ["geolocation", "SE US", "separated by commas or one a line"],
  ["geolocation", "se, uk", "has UK, which is no country's code: write `GB`"],
  ["geolocation", "AY", "has AY, which is no country's code: it must be a code of ISO 3166-1"],
  [
    "geolocation",
    "EU",
    "write `AT, BE, BG, HR, CY, CZ, DK, EE, FI, FR, DE, GR, HU, IE, IT, LV, LT, LU, MT, NL, PL, PT",
  ],
  ["datacenter", "yes", "must be true or false"],
  ["offer-filter", "disk_bw >= 500", 'such as {"disk_bw": {"gte": 500}}'],
  ["offer-filter", "[]", "must be a JSON object"],
  ["offer-filter", '{"disk_bw": 500}', "disk_bw must be an object of operators"],
  ["offer-filter", '{"disk_bw": {}}', "disk_bw must be"],
  ["offer-filter", '{"disk_bw": {">=": 500}}', "disk_bw must have operators of eq, neq, gt, gte, lt, lte, in, notin"],
  ["offer-filter", '{"disk_bw": {"constructor": 500}}', "disk_bw must have operators of"],
  ["offer-filter", '{"disk_bw": {"gte": null}}', "disk_bw.gte must be a text, a number, true or false"],
  ["offer-filter", '{"disk_bw": {"gte": [1]}}', "disk_bw.gte must be"],
  ["offer-filter", '{"disk_bw": {"in": 1}}', "disk_bw.in must be a list"],
  ["offer-filter", '{"disk_bw": {"in": []}}', "disk_bw.in must be"],
  ["offer-filter", '{"__proto__": {"eq": 1}}', "must have an offer's fields as names"],
  ["offer-filter", '{"rented": {"eq": true}}', "must set no rented, which the action sets itself"],
  ["offer-filter", `{"a": {"eq": "${"x".repeat(4000)}"}}`, "must be at most 4000 characters"],
  ["order", "cheapest", "must be auto, price, score or dlperf_per_dphtotal"],
  ["exclude-machines", "m40211", "a machine's id, as in the log"],
  ["pricing", "spot", "must be on-demand or bid"],
  ["bid-price", "0", "from 0.001 to 128 USD per hour"],
  ["bid-fallback", "later", "must be true or false"],
  ["volume-id", "V.12", "a whole number"],
  ["volume-mount-path", "data", "an absolute path below /"],
  ["volume-mount-path", "/", "an absolute path below /"],
  ["volume-mount-path", "/data/../etc", "an absolute path below /"],
  ["volume-mount-path", "/da ta", "an absolute path below /"],
  ["volume-mount-path", "/opt", "neither /opt nor /opt/ghr"],
  ["volume-mount-path", "/opt/ghr", "neither /opt nor /opt/ghr"],
  ["volume-mount-path", "/opt/ghr/work", "neither /opt nor /opt/ghr"],
  ["name", "Cuda", "up to 24 small letters, digits, dots and hyphens"],
  ["name", "3.", "up to 24 small letters"],
  ["name", "-a", "up to 24 small letters"],
  ["name", "a".repeat(25), "up to 24 small letters"],
  ["runner-scope", "enterprise", "must be repo or org"],
  ["runner-group-id", "0", "a whole number from 1"],
  ["image-login", "-u octo -p seven77 ghcr.io", "a token of at least 8 characters"],
  ["image-login", "octo:token@ghcr.io", "-u USER -p TOKEN REGISTRY, in that order, without quotes"],
  ["image-login", "-u octo -p 'a b' ghcr.io", "without quotes"],
  ["image-login", "-u octo -p the-token ghcr.io --privileged", "-u USER -p TOKEN REGISTRY"],
  ["template-hash-id", "1234567", "a template's hash_id (not its number)"],
  ["template-hash-id", "4e17788f74f075dd; rm", "a template's hash_id"],
  ["template-name", "two\nlines", "a template's whole name in one line"],
  ["template-name", "x".repeat(257), "a template's whole name"],
  ["runtype", "args", "keeps the image's own entrypoint, so that the runner would not be started"],
  ["runtype", "jupyter_direct", "opens a notebook server"],
  ["runtype", "ssh", "was seen not to be reachable; must be ssh_proxy or ssh_direct"],
  ["runtype", "vm", "must be ssh_proxy or ssh_direct"],
  ["setup", "echo \u001b[2J", "must be lines of shell, without control characters"],
  ["setup", "x".repeat(8193), "must be at most 8192 characters"],
  ["setup-timeout", "3h", "from 10s to 2h"],
  ["probe", "true\nfalse", "must be one line of shell"],
  ["probe", "x".repeat(2049), "must be at most 2048 characters"],
  ["fail-with-job", "sometimes", "must be true or false"],
  ["keep-failed", "25h", "from 0s to 24h"],
  ["if-no-machine", "true", "must be auto, cancel or leave"],
  [
    "if-no-machine",
    "fail-jobs",
    "fail-jobs is gone (write auto, which cancels the run once no other job of it is open); must be auto, cancel or leave",
  ],
  ["max-cost", "", "must be none or a number from 0.001 to 100000 USD"],
  ["max-cost", "0", "must be none or a number from 0.001 to 100000 USD"],
  ["max-cost-30d", "0", "a number from 0.001 to 1000000 USD"],
  ["history", "gpu-history.json", "names a file, which is gone"],
  ["min-credit", "-5", "from 0 to 1000000 USD"],
  ["machines-per-repository", "0", "auto or a whole number from 1 to 1000 machines"],
  ["gpu-figures", "off", "must be true or false"],
  ["check", "dry", "must be true or false"],
  ["image", "Debian:13", "a container image"],
  ["image", "debian:13 --privileged", "a container image"],
  ["image", "debian@sha256:abc", "a container image"],
  ["image", "$(reboot)", "a container image"],
  ["image", "ghcr.io/org/ci:", "has an empty tag (is a variable unset?); must be a container image, such as"],
  ["image", `ghcr.io/org/ci:@sha256:${"a".repeat(64)}`, "has an empty tag"],
  [
    "image",
    "docker://pytorch/pytorch:2.8.0-cuda12.8",
    "begins with docker://, leave it out; must be a container image",
  ],
  ["image", "https://ghcr.io/o/i:v1", "begins with https://, leave it out; must be a container image"],
  ["image", "ghcr.io/AcmeOrg/X:V1", "small letters alone: `ghcr.io/acmeorg/x:V1`; must be a container image"],
  ["image", "ghcr.io//ci:v1", "must be a container image"],
  ["image", "ghcr.io/org/", "must be a container image"],
  ["image", "ghcr.io:org/ci", "must be a container image"],
  ["image", `o/${"i".repeat(254)}:v1`, "must be a container image"],
  ["disk", "7", "from 8 to 65536 GB"],
  ["machines", "0", "must be auto or a whole number from 1 to 16 machines"],
  ["machines", "17", "must be auto or a whole number from 1 to 16 machines"],
  ["jobs", "0", "must be auto or a whole number from 1 to 1000 jobs"],
  ["jobs-per-machine", "5", "a whole number from 1 to 4 jobs"],
  ["job-minutes", "20m", "must be a number from 0.1 to 1440 minutes"],
  ["hedge", "sometimes", "must be true or false"],
  ["hold", "maybe", "must be true or false"],
  ["hold", "auto", "is gone, as it meant the same as true; must be true or false"],
  ["wait-for-job", "30", "has no unit; must be"],
  ["wait-for-job", "7h", "a duration from 0s to 6h"],
  ["max-lifetime", "30s", "a duration from 1m to 24h, written like 90s, 10m, 2h or 1h30m"],
  ["max-lifetime", "25h", "from 1m to 24h"],
  ["idle-timeout", "29s", "from 30s to 6h"],
  ["idle-timeout", "0.5", "has no unit; must be"],
  ["boot-timeout", "ten minutes", "must be auto or a duration"],
  ["online-timeout", "0s", "from 30s to 2h"],
  ["ready-timeout", "59s", "from 1m to 6h"],
  ["search-timeout", "7h", "from 0s to 6h"],
  ["attempts", "0", "a whole number from 1 to 20 machines"],
  ["attempts", "21", "a whole number from 1 to 20 machines"],
  ["job-check-run-id", "abc", "leave it alone"],
  ["job-status", "Success!", "leave it alone"],
  ["strategy-fail-fast", "perhaps", "must be true or false"],
  ["strategy-job-total", "many", "leave it alone"],
];

test.each(BAD)("%s: %j is a fault", (name, text, says) => {
  expect(faults({ [name]: text })).toEqual([expect.stringContaining(`${name}: `)]);
  expect(faults({ [name]: text })[0]).toContain(says);
});

test.each(["-1", "1e3", "0,60", "0.60 USD", "NaN", "Infinity", "95%", "32GB"])("%s is no number", (text) => {
  expect(faults({ "max-price": text })).toEqual([expect.stringContaining("must be a number from 0.001")]);
});

test("every input has a test of what is bad; that of what is good is in inputs-take-effect.test.ts", () => {
  // env has tests of its own.
  const tested = new Set<string>(["env", ...BAD.map(([name]) => name)]);
  expect(Object.keys(inputSchema.shape).filter((name) => !tested.has(name))).toEqual([]);
});

test("all faults at once, in the order of the inputs", () => {
  const wrong = { "num-gpus": "many", "max-price": "free", image: "-", "boot-timeout": "10", hold: "perhaps" };
  expect(faults(wrong).map((fault) => fault.split(":")[0])).toEqual(Object.keys(wrong));
});

describe("env", () => {
  test("lines NAME=value; values are taken as they are", () => {
    const text = "A=1\n  B_2=two words \r\n\n# a comment\n_c==x=y\nEMPTY=\n";
    expect(read({ env: text }).data?.env).toEqual({ A: "1", B_2: "two words", _c: "=x=y", EMPTY: "" });
  });

  test.each([
    ["a line without =", "A=1\nB", "entry 2"],
    ["a name that begins with a digit", "1A=x", "entry 1"],
    ["a name with a blank", "A B=x", "entry 1"],
    ["a port mapping, which is no variable", "-p 80:80=1", "entry 1"],
    ["a line that begins with =", "=x", "entry 1"],
    ["a variable of ours", "GHR_JIT=x", "must set no GHR_JIT"],
    ["a variable of the service", "CONTAINER_API_KEY=x", "must set no CONTAINER_API_KEY"],
    ["a variable of the runner", "ACTIONS_RUNNER_HOOK_JOB_STARTED=x", "must set no ACTIONS_RUNNER_HOOK_JOB_STARTED"],
    ["too much", `A=${"x".repeat(16_384)}`, "16384 characters"],
  ])("%s is a fault", (_what, env, says) => {
    expect(faults({ env })[0]).toContain(says);
  });

  test.each([
    ["PATH", "/x", "$GITHUB_PATH"],
    ["PATH", "/x:$PATH", "$GITHUB_PATH"],
    ["LD_PRELOAD", "/usr/lib/libjemalloc.so", "set it in the job's own env, or set it in the image"],
    ["LD_LIBRARY_PATH", "/usr/local/cuda/lib64", "set it in the job's own env, or set it in the image"],
    ["BASH_ENV", "/etc/profile", "set it in the job's own env, or set it in the image"],
  ])("%s=%s is a fault: the machine needs it to give itself back", (name, value, instead) => {
    const [fault] = faults({ env: `A=1\n${name}=${value}` });
    expect(fault).toContain(`sets ${name}, by which the machine finds its own programs, too: `);
    expect(fault).toContain(instead);
  });

  test.each([
    "PYTHONPATH=/x:$PYTHONPATH",
    "PYTHONPATH=$PYTHONPATH:/x",
    "no_proxy=$no_proxy,example.org",
    "DATA=$HOME/data",
    `DATA=${"$"}{HOME}/data`,
    "WHO=$USER",
    "URL=https://$HOST/x",
    "LIST=a,$B",
  ])("%s is a fault: variables are not expanded", (env) => {
    expect(faults({ env })[0]).toMatch(
      /^env: sets \w+ to the value of another variable \(\$NAME\), and variables are not expanded here: /,
    );
  });

  test.each([
    "PASSWORD=pa$WORD",
    "PASSWORD=$ecret",
    "HASH=$2b$12$abcdefgh",
    "HASH=$argon2id$v=19$m=65536",
    "COMMAND=echo $HOME",
    "PRICE=5$",
    "PS4=+ $LINENO: ",
    "EMPTY=$",
    "FIRST=$1",
    "MY_PATH=/x",
  ])("%s may be meant", (env) => {
    expect(read({ env }).success).toBe(true);
  });

  test("a fault never shows a value, which may be a secret", () => {
    expect(faults({ env: "TOKEN=hunter2\nhunter3" })[0]).not.toMatch(/hunter/);
    expect(faults({ env: "TOKEN=$HUNTER2" })[0]).not.toMatch(/hunter/i);
  });

  test("a name that every object has is a name like any other", () => {
    const env = read({ env: "__proto__=1\nconstructor=2" }).data?.env ?? {};
    expect(Object.entries(env)).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });
});

test("an input that the schema does not know is a bug of ours", () => {
  expect(read({ "no-such-input": "x" }).success).toBe(false);
});

test("all faults of a sweep's inputs at once", () => {
  const given = { "api-key": "0123456789", "dry-run": "x", "max-destroy": "x", "job-token": "" };
  expect(sweepInputSchema.safeParse(given).error?.issues).toHaveLength(3);
});

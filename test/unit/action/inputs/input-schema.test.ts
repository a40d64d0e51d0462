import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
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
  ["api-url", "https://service.example:8443/base/", "https://service.example:8443/base"],
  ["api-url", "http://127.0.0.1:8001", "http://127.0.0.1:8001"],
  ["api-url", "http://[::1]:8001", "http://[::1]:8001"],
  ["gpu-name", "  H100 SXM ", ["H100 SXM"]],
  ["gpu-name", "RTX 4090, L40S,\r\n  H100 SXM\n\nL40S\n", ["RTX 4090", "L40S", "H100 SXM"]],
  ["num-gpus", "2.0", 2],
  ["max-price", "0.001", 0.001],
  ["max-traffic-price", "none", undefined],
  ["min-cuda", "Auto", "auto"],
  ["geolocation", "se, US\nCA", ["SE", "US", "CA"]],
  ["offer-filter", '{"a": {"in": [1, "x"]}, "b": {"neq": false}}', { a: { in: [1, "x"] }, b: { neq: false } }],
  ["exclude-machines", "40211, 40305\n40211", [40_211, 40_305]],
  ["volume-mount-path", "/opt/ghr-data", "/opt/ghr-data"],
  ["name", "3.11", "3.11"],
  ["image-login", "-u $oauth -p xxxxxxxx r.example:50/team", "-u $oauth -p xxxxxxxx r.example:50/team"],
  ["template-name", "PyTorch 2.8 (CUDA), für alle", "PyTorch 2.8 (CUDA), für alle"],
  ["runtype", "SSH_DIRECT", "ssh_direct"],
  ["setup", "pip install -e .\r\n\tmake 'all'", "pip install -e .\n\tmake 'all'"],
  ["max-cost", "None", undefined],
  ["machines", "16", 16],
  ["wait-for-job", "0s", 0],
  ["max-lifetime", "1h30m", 5_400_000],
  ["job-check-run-id", "47000000001", "47000000001"],
];

test.each(GOOD)("%s: %j", (name, text, value) => {
  expect(read({ [name]: text }).data?.[name]).toEqual(value);
});

/** Images that are taken as they are. */
const IMAGES = [
  ..."localhost:5000/a/b:X_1.2-RC ghcr.io/my-org/a--b/c_d/e__f/g.h:Tag GHCR.io/owner/image:v1".split(" "),
  ...["vastai/base-image:@vastai-automatic-tag", `debian:13@sha256:${"a".repeat(64)}`, `o/${"i".repeat(253)}:v1`],
];

test.each(IMAGES)("image: %s", (image) => {
  expect(read({ image }).data?.image).toBe(image);
});

/** Input, what the fault must say, and texts of which it says so. */
const BAD: [keyof typeof inputSchema.shape, string, ...string[]][] = [
  ["api-key", "must be a key or token, without blanks", "two words", "key\u00e9"],
  ["github-token", "must be ", ""],
  ["job-token", "must be ", ""],
  ["api-url", "an https address", "http://console.vast.ai", "http://127.0.0.1.evil.example", "file:///etc/passwd"],
  ["api-url", "without user, query or fragment", "https://user:pass@service.example", "https://service.example/?key=1"],
  ["api-url", "without user, query or fragment", "https://service.example/#top"],
  ["gpu-name", "such as RTX 4090, several separated by commas or one a line", "RTX 4090, -x", "x".repeat(65)],
  ["gpu-name", "must be at most 32 entries", Array.from({ length: 33 }, (_none, number) => `GPU ${number}`).join()],
  ["num-gpus", "a whole number from 1 to 64 GPUs", "0", "1.5"],
  ["max-price", "must be a number from 0.001 to 1000 USD per hour", "", "0"],
  ["max-traffic-price", "must be none or a number from 0 to 1000 USD per GB", "no"],
  ["min-reliability", "a number from 0 to 1", "1.01"],
  ["min-gpu-ram-gb", "a number from 0 to 2048 GB", "24GB"],
  ["min-compute-cap", "a number from 0 to 30 (such as 8.9)", "890"],
  ["min-cuda", "must be auto or a number from 0 to 30 (such as 12.8)", "cuda12"],
  ["min-cpu-cores", "from 0 to 1024 cores", "many"],
  ["min-cpu-ram-gb", "from 0 to 16384 GB", "-1"],
  ["min-inet-down-mbps", "must be auto or a number from 0 to 100000 Mbit/s", "1 Gbit"],
  ["geolocation", "a country's two letters, such as SE", "Sweden"],
  ["geolocation", "separated by commas or one a line", "SE US"],
  ["geolocation", "has UK, which is no country's code: write `GB`", "se, uk"],
  ["datacenter", "must be true or false", "yes"],
  ["offer-filter", 'such as {"disk_bw": {"gte": 500}}', "disk_bw >= 500"],
  ["offer-filter", "must be a JSON object", "[]"],
  ["offer-filter", "disk_bw must be an object of operators", '{"disk_bw": 500}', '{"disk_bw": {}}'],
  ["offer-filter", "disk_bw must have operators of eq, neq, gt, gte, lt, lte, in, notin", '{"disk_bw": {">=": 500}}'],
  ["offer-filter", "disk_bw.gte must be a text, a number, true or false", '{"disk_bw": {"gte": [1]}}'],
  ["offer-filter", "disk_bw.in must be a list", '{"disk_bw": {"in": 1}}', '{"disk_bw": {"in": []}}'],
  ["offer-filter", "must have an offer's fields as names", '{"__proto__": {"eq": 1}}'],
  ["offer-filter", "must set no rented, which the action sets itself", '{"rented": {"eq": true}}'],
  ["offer-filter", "must be at most 4000 characters", `{"a": {"eq": "${"x".repeat(4000)}"}}`],
  ["order", "must be auto, price, score or dlperf_per_dphtotal", "cheapest"],
  ["exclude-machines", "a machine's id, as in the log", "m40211"],
  ["pricing", "must be on-demand or bid", "spot"],
  ["bid-price", "from 0.001 to 128 USD per hour", "0"],
  ["bid-fallback", "must be true or false", "later"],
  ["volume-id", "a whole number", "V.12"],
  ["volume-mount-path", "an absolute path below /", "data", "/", "/data/../etc", "/data/..", "/da ta"],
  ["volume-mount-path", "neither /opt nor /opt/ghr", "/opt", "/opt/ghr", "/opt/ghr/work"],
  ["name", "up to 24 small letters, digits, dots and hyphens", "Cuda", "3.", "-a", "a".repeat(25)],
  ["runner-scope", "must be repo or org", "enterprise"],
  ["runner-group-id", "a whole number from 1", "0"],
  ["image-login", "a token of at least 8 characters", "-u octo -p seven77 ghcr.io"],
  ["image-login", "-u USER -p TOKEN REGISTRY, in that order, without quotes", "-u octo -p 'a b' ghcr.io"],
  ["image-login", "-u USER -p TOKEN REGISTRY, in that order, without quotes", "-u octo -p the-token ghcr.io --root"],
  ["template-hash-id", "a template's hash_id (not its number)", "1234567", "4e17788f74f075dd; rm"],
  ["template-name", "a template's whole name in one line", "two\nlines", "x".repeat(257)],
  ["runtype", "keeps the image's own entrypoint, so that the runner would not be started", "args"],
  ["runtype", "opens a notebook server", "jupyter_direct"],
  ["runtype", "was seen not to be reachable; must be ssh_proxy or ssh_direct", "ssh"],
  ["setup", "must be lines of shell, without control characters", "echo \u001b[2J"],
  ["setup", "must be at most 8192 characters", "x".repeat(8193)],
  ["setup-timeout", "from 10s to 2h", "3h"],
  ["probe", "must be one line of shell", "true\nfalse"],
  ["probe", "must be at most 2048 characters", "x".repeat(2049)],
  ["fail-with-job", "must be true or false", "sometimes"],
  ["keep-failed", "from 0s to 24h", "25h"],
  ["if-no-machine", "must be auto, cancel or leave", "true"],
  ["if-no-machine", "fail-jobs is gone (write auto, which cancels the run once no other job of it is op", "fail-jobs"],
  ["max-cost", "must be none or a number from 0.001 to 100000 USD", "", "0"],
  ["max-cost-30d", "a number from 0.001 to 1000000 USD", "0"],
  ["history", "names a file, which is gone", "gpu-history.json"],
  ["min-credit", "from 0 to 1000000 USD", "-5"],
  ["machines-per-repository", "auto or a whole number from 1 to 1000 machines", "0"],
  ["gpu-figures", "must be true or false", "off"],
  ["check", "must be true or false", "dry"],
  ["image", "must be a container image", "Debian:13", "debian:13 --privileged", "debian@sha256:abc", "$(reboot)"],
  ["image", "must be a container image", "ghcr.io//ci:v1", "ghcr.io/org/", "ghcr.io:org/ci", `o/${"i".repeat(254)}:v1`],
  ["image", "has an empty tag (is a variable unset?); must be a container image, such as", "ghcr.io/org/ci:"],
  ["disk", "from 8 to 65536 GB", "7"],
  ["machines", "must be auto or a whole number from 1 to 16 machines", "0", "17"],
  ["jobs", "must be auto or a whole number from 1 to 1000 jobs", "0"],
  ["jobs-per-machine", "a whole number from 1 to 4 jobs", "5"],
  ["job-minutes", "must be a number from 0.1 to 1440 minutes", "20m"],
  ["hedge", "must be true or false", "sometimes"],
  ["hold", "must be true or false", "maybe"],
  ["hold", "is gone, as it meant the same as true; must be true or false", "auto"],
  ["wait-for-job", "has no unit; must be", "30"],
  ["wait-for-job", "a duration from 0s to 6h", "7h"],
  ["max-lifetime", "a duration from 1m to 24h, written like 90s, 10m, 2h or 1h30m", "30s", "25h"],
  ["idle-timeout", "from 30s to 6h", "29s"],
  ["boot-timeout", "must be auto or a duration", "ten minutes"],
  ["online-timeout", "from 30s to 2h", "0s"],
  ["ready-timeout", "from 1m to 6h", "59s"],
  ["search-timeout", "from 0s to 6h", "7h"],
  ["attempts", "a whole number from 1 to 20 machines", "0", "21"],
  ["job-check-run-id", "leave it alone", "abc"],
  ["job-status", "leave it alone", "Success!"],
  ["strategy-fail-fast", "must be true or false", "perhaps"],
  ["strategy-job-total", "leave it alone", "many"],
];

test.each(BAD.flatMap(([name, says, ...texts]) => texts.map((text) => [name, text, says] as const)))(
  "%s: %j is a fault",
  (name, text, says) => {
    const [fault, ...others] = faults({ [name]: text });
    expect(fault).toMatch(new RegExp(`^${name}: `));
    expect(fault).toContain(says);
    expect(others).toEqual([]);
  },
);

test.each(["-1", "1e3", "0,60", "0.60 USD", "NaN"])("%s is no number", (text) => {
  expect(faults({ "max-price": text })).toEqual([expect.stringContaining("must be a number from 0.001")]);
});

test("every input has a test of what is bad; that of what is good is in inputs-take-effect.test.ts", () => {
  // env has tests of its own.
  const tested = new Set<string>(["env", ...BAD.map(([name]) => name)]);
  expect(Object.keys(inputSchema.shape).filter((name) => !tested.has(name))).toEqual([]);
});

test("env: lines NAME=value; values are taken as they are", () => {
  const text = "A=1\n  B_2=two words \r\n\n# a comment\n_c==x=y\nEMPTY=\n";
  expect(read({ env: text }).data?.env).toEqual({ A: "1", B_2: "two words", _c: "=x=y", EMPTY: "" });
});

test.each([
  ["a line without =", "A=1\nB", "entry 2"],
  ["a port mapping, which is no variable", "-p 80:80=1", "entry 1"],
  ["a line that begins with =", "=x", "entry 1"],
  ["a variable of ours", "GHR_JIT=x", "must set no GHR_JIT"],
  ["too much", `A=${"x".repeat(16_384)}`, "16384 characters"],
])("env: %s is a fault", (_what, env, says) => {
  expect(faults({ env })[0]).toContain(says);
});

test.each([
  ["PATH", "/x", "$GITHUB_PATH"],
  ["LD_PRELOAD", "/usr/lib/libjemalloc.so", "set it in the job's own env, or set it in the image"],
  ["BASH_ENV", "/etc/profile", "set it in the job's own env, or set it in the image"],
])("env: %s=%s is a fault: the machine needs it to give itself back", (name, value, instead) => {
  const [fault] = faults({ env: `A=1\n${name}=${value}` });
  expect(fault).toContain(`sets ${name}, by which the machine finds its own programs, too: `);
  expect(fault).toContain(instead);
});

test.each(["PYTHONPATH=/x:$PYTHONPATH", "no_proxy=$no_proxy,example.org", "URL=https://$HOST/x"])(
  "env: %s is a fault: variables are not expanded",
  (env) => {
    expect(faults({ env })[0]).toMatch(
      /^env: sets \w+ to the value of another variable \(\$NAME\), and variables are not expanded here: /,
    );
  },
);

test.each([
  ...["PASSWORD=pa$WORD", "PASSWORD=$ecret", "HASH=$2b$12$abcdefgh", "HASH=$argon2id$v=19$m=65536"],
  ...["COMMAND=echo $HOME", "PRICE=5$", "PS4=+ $LINENO: ", "EMPTY=$", "FIRST=$1", "MY_PATH=/x"],
])("env: %s may be meant", (env) => {
  expect(read({ env }).success).toBe(true);
});

test("env: a fault never shows a value, which may be a secret", () => {
  expect(faults({ env: "TOKEN=hunter2\nhunter3" })[0]).not.toMatch(/hunter/);
  expect(faults({ env: "TOKEN=$HUNTER2" })[0]).not.toMatch(/hunter/i);
});

test("env: a name that every object has is a name like any other", () => {
  const env = read({ env: "__proto__=1\nconstructor=2" }).data?.env ?? {};
  expect(Object.entries(env).join(" ")).toBe("__proto__,1 constructor,2");
});

test("an input that the schema does not know is a bug of ours", () => {
  expect(read({ "no-such-input": "x" }).success).toBe(false);
});

test("all faults of a sweep's inputs at once", () => {
  const given = { "api-key": "0123456789", "dry-run": "x", "max-destroy": "x", "job-token": "" };
  expect(sweepInputSchema.safeParse(given).error?.issues).toHaveLength(3);
});

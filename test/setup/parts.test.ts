import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { AppApi } from "../../setup/app-api.ts";
import { AppPage } from "../../setup/app-page.ts";
import { diffLines } from "../../setup/diff.ts";
import type { Repository } from "../../setup/facts.ts";
import { partOf, repositoryPath } from "../../setup/gh.ts";
import { findCheckout, readRemote } from "../../setup/git.ts";
import { ownership } from "../../setup/mark.ts";
import { type GpuKind, jobCost, kindsOf, proposeCost, proposeGpu, proposePrice } from "../../setup/market.ts";
import { readOptions } from "../../setup/options.ts";
import { proposeFor } from "../../setup/proposal.ts";
import { settingsIn } from "../../setup/read-back.ts";
import { Screen } from "../../setup/screen.ts";
import { Secrets } from "../../setup/secrets.ts";
import { lookUpImage, namesMeant, type Offer, Service, serviceUrl } from "../../setup/service.ts";
import { readSetting } from "../../setup/setting-forms.ts";
import { firstThere } from "../../setup/settings.ts";
import { SetupError } from "../../setup/setup-error.ts";
import { type Settings, workflowFiles } from "../../setup/workflows.ts";
import { readImageName } from "../../src/image/image-name.ts";

test.each([
  ["a price that is none", ["--max-price", "cheap"], /^--max-price must be an amount/],
  ["no price at all", ["--max-cost", "0"], /^--max-cost must be an amount/],
  ["a job that is too long", ["--job-minutes", "600"], /^--job-minutes must be a whole number of minutes up to 160/],
  ["a command that is none", ["install"], /must be init or doctor or remove/],
  ["an image that is none", ["--image", "a b"], /^--image can't be "a b"/],
])("%s is refused by name", (_, words, says) => {
  expect(() => readOptions(words)).toThrow(SetupError);
  expect(() => readOptions(words)).toThrow(says);
});

describe("a remote's address", () => {
  test.each([
    ["https://github.com/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["https://user:pass@github.com/octo/gpu-lib", "github.com", "octo/gpu-lib"],
    ["git@github.com:octo/gpu.lib.git", "github.com", "octo/gpu.lib"],
    ["ssh://git@ghe.example.com:2222/octo/gpu-lib.git/", "ghe.example.com", "octo/gpu-lib"],
    ["ssh://git@ssh.github.com:443/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["https://www.github.com/octo/gpu-lib", "github.com", "octo/gpu-lib"],
    ["https://GitHub.com/octo/gpu-lib", "github.com", "octo/gpu-lib"],
    ["git@github.com:/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["git://github.com/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["git://ghe.example.com:9418/octo/gpu-lib.git", "ghe.example.com", "octo/gpu-lib"],
    ["git+ssh://git@github.com/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["ssh+git://git@github.com/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["github.com:octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["ssh.github.com:/octo/gpu-lib.git", "github.com", "octo/gpu-lib"],
    ["git@w:octo/gpu-lib.git", "w", "octo/gpu-lib"],
    ["git@ghe.example.com:2222/octo/gpu-lib.git", "ghe.example.com", "octo/gpu-lib"],
    ["git@github.com:443/gpu-lib.git", "github.com", "443/gpu-lib"],
  ])("%s is %s %s", (url, host, repository) => expect(readRemote(url)).toMatchObject({ host, repository }));
  test.each([
    "/srv/git/gpu-lib.git",
    "../elsewhere",
    "./git:hub/octo/gpu-lib",
    "C:/octo/gpu-lib",
    "C:octo/gpu-lib",
    "C:\\octo\\gpu-lib",
    "elsewhere/octo/gpu-lib",
    "file:///octo/gpu-lib.git",
    "ftp://github.com/octo/gpu-lib.git",
    "ext::program octo/gpu-lib",
    "",
    "https://github.com/octo",
    "git@github.com:gpu-lib",
    "git@-oProxyCommand=x:octo/gpu-lib",
    "-oProxyCommand=x:octo/gpu-lib",
  ])("%j is none of GitHub", (url) => expect(readRemote(url)).toBe(undefined));

  /** The host of a checkout with this origin, where ssh is this program; without one, where there is none. */
  async function hostOf(origin: string, ssh: string | undefined, ...settings: [string, string][]): Promise<string> {
    const root = mkdtempSync(join(tmpdir(), "remote-"));
    const bin = join(root, "bin");
    const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    mkdirSync(bin);
    symlinkSync(git, join(bin, "git"));
    if (ssh !== undefined) writeFileSync(join(bin, "ssh"), `#!/bin/sh\n${ssh}\n`, { mode: 0o755 });
    try {
      for (const words of [["init", "--quiet"], ...settings.map((setting) => ["config", ...setting])])
        execFileSync(git, words, { cwd: root });
      execFileSync(git, ["remote", "add", "origin", origin], { cwd: root });
      vi.stubEnv("PATH", bin);
      const { host, repository } = await findCheckout(root);
      expect(repository).toBe("octo/gpu-lib");
      return host;
    } finally {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true });
    }
  }

  /** Knows one name, as `ssh -G` prints it. */
  const knows = (name: string, hostname: string) =>
    `[ "$*" = "-G -- ${name}" ] || exit 9\nprintf 'user git\\nhostname %s\\nport 22\\n' "${hostname}"`;

  test("may be written with an abbreviation of the user's git", async () =>
    expect(await hostOf("gh:octo/gpu-lib", undefined, ["url.git@github.com:.insteadOf", "gh:"])).toBe("github.com"));

  test.each([
    ["git@github.com-work:octo/gpu-lib.git", "github.com-work", "github.com"],
    ["work:octo/gpu-lib.git", "work", "github.com"],
    ["work:/octo/gpu-lib.git", "work", "ssh.github.com"],
    ["ssh://git@Work/octo/gpu-lib.git", "Work", "GitHub.com"],
    ["git+ssh://git@work/octo/gpu-lib.git", "work", "github.com"],
  ])("%s may have a name of ~/.ssh/config", async (origin, name, hostname) =>
    expect(await hostOf(origin, knows(name, hostname))).toBe("github.com"),
  );

  test.each([
    ["there is no ssh", undefined],
    ["ssh ends with an error", "echo hostname github.com; exit 255"],
    ["ssh prints nothing", "exit 0"],
    ["ssh prints what is no name", "echo hostname -oProxyCommand=x"],
    ["the name stands for a bare number, which no login has", knows("ghe.example.com", "192.0.2.7")],
    ["the name stands for a number of IPv6", knows("ghe.example.com", "2001:db8::7")],
  ])("keeps its host where %s", async (_, ssh) =>
    expect(await hostOf("git@ghe.example.com:octo/gpu-lib.git", ssh)).toBe("ghe.example.com"),
  );

  test.each([
    "git@github.com:octo/gpu-lib.git",
    "https://github.com/octo/gpu-lib.git",
    "git://github.com/octo/gpu-lib.git",
  ])("%s is known without ssh", async (origin) =>
    expect(await hostOf(origin, "echo hostname other.example.com")).toBe("github.com"),
  );

  test("keeps its host where ssh hangs, and what ssh started, too", async () => {
    const sleep = execFileSync("sh", ["-c", "command -v sleep"], { encoding: "utf8" }).trim();
    const start = performance.now();
    const host = await hostOf("git@ghe.example.com:octo/gpu-lib.git", `${sleep} 12\nexit 0`);
    expect(host).toBe("ghe.example.com");
    expect(performance.now() - start).toBeLessThan(10_000);
  }, 20_000);
});

test("addresses are read without URL.parse, which Node 20.12 lacks", () => {
  const missing = vi.spyOn(URL, "parse").mockImplementation(() => {
    throw new TypeError("URL.parse is not a function");
  });
  expect(serviceUrl("https://service.example.com")).toBe("https://service.example.com");
  expect(readImageName("ghcr.io/acme/tests:1")?.registry).toBe("ghcr.io");
  missing.mockRestore();
});

test("GitHub, the service and a registry are asked by the proxy of the environment, as gh and npx do", async () => {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(String(data).split(" ")[1] ?? "");
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  for (const name of ["https_proxy", "HTTPS_PROXY"])
    vi.stubEnv(name, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
  const secrets = new Secrets();
  const apps = new AppApi({ api: "https://api.invalid", web: "https://web.invalid" }, secrets);
  await expect(apps.takeOver("code")).rejects.toThrow("GitHub gave no answer");
  await lookUpImage("registry.invalid/acme/tests:1");
  const service = new Service({ url: "https://service.invalid", key: "a-key", secrets });
  // It asks again for a while, which is not waited for.
  service.account().catch(() => {});
  const all = ["api.invalid:443", "registry.invalid:443", "service.invalid:443"];
  await vi.waitFor(() => expect([...new Set(asked)]).toEqual(all), { timeout: 60_000, interval: 25 });
  await service[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
  proxy.close();
});

function kind(name: string, prices: number[], memoryGb = 24): GpuKind {
  return {
    name,
    memoryGb,
    machines: prices.length,
    cheapest: prices[0] ?? 0,
    median: prices[3] ?? prices[0] ?? 0,
    perGb: 0,
    prices,
  };
}

describe("what is proposed", () => {
  const many = kind("many", [0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.371, 0.5]);
  const few = kind("few", [0.1, 0.2]);
  const small = kind("small", [0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01], 12);

  const like = (name: string, price: number) => kind(name, Array(9).fill(price));
  test.each([
    ["the cheapest ones with the memory, until there are eight machines", [small, few, many], ["few", "many"]],
    ["all, where there are fewer", [few, kind("other", [0.2, 0.3])], ["few", "other"]],
    ["none without the memory", [small], []],
    ["more of them as long as they cost little more", [like("a", 0.3), like("b", 0.4), like("c", 1)], ["a", "b"]],
    ["four at most", ["a", "b", "c", "d", "e"].map((name) => like(name, 0.3)), ["a", "b", "c", "d"]],
  ])("several GPUs: %s", (_, kinds, names) => expect(proposeGpu(kinds, 24)).toEqual(names));

  test("a name that is no plain word is nobody's GPU", () => {
    const offer = { id: 1, num_gpus: 1, dph_total: 0.1 };
    const offers = [
      { ...offer, gpu_name: "RTX 4090" },
      { ...offer, gpu_name: "$" + "{{ secrets.RENTAL_API_KEY }}" },
    ];
    expect(kindsOf(offers as unknown as Offer[]).map(({ name }) => name)).toEqual(["RTX 4090"]);
  });

  test.each([
    ["RTX 4090", ["RTX 4090"]],
    ["rtx-4090", ["RTX 4090"]],
    ["4090", ["RTX 4090"]],
    ["6000", ["RTX 6000", "Q RTX 6000"]],
    ["RTX", []],
    ["409", []],
  ])("%s means %j", (written, names) => {
    expect(namesMeant(written, ["RTX 4090", "RTX 4090D", "RTX 6000", "Q RTX 6000"])).toEqual(names);
  });

  test.each([
    ["torch", ["2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch>=2.1", ["2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch==2.7.0", ["2.7.0-cuda12.8-cudnn9-runtime"]],
    ["torch ~= 2.4", ["2.4.1-cuda12.4-cudnn9-runtime"]],
    ["torch==2.1", ["2.1.2-cuda12.1-cudnn8-runtime"]],
    ["torch==2.10", ["2.10.0-cuda12.8-cudnn9-runtime", "2.8.0-cuda12.8-cudnn9-runtime"]],
    ["torch>=2.9.1", ["2.9.1-cuda12.8-cudnn9-runtime", "2.8.0-cuda12.8-cudnn9-runtime"]],
  ])("%s: PyTorch's image of that version, as far as it is known", (needs, tags) => {
    const root = mkdtempSync(join(tmpdir(), "proposal-"));
    writeFileSync(join(root, "requirements.txt"), `${needs}\n`);
    const { images } = proposeFor(root);
    rmSync(root, { recursive: true });
    expect(images).toEqual(tags.map((tag) => `pytorch/pytorch:${tag}`));
  });

  /** What is proposed for a repository with these files. */
  function proposedFor(files: Record<string, string>) {
    const root = mkdtempSync(join(tmpdir(), "proposal-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const proposal = proposeFor(root);
    rmSync(root, { recursive: true });
    return proposal;
  }

  test.each([
    ["jax", "python:3.12-slim", "12.8"],
    ["cupy-cuda12x", "python:3.12-slim", "12.8"],
    ["torch", "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", undefined],
  ])("%s: an image whose name says its CUDA, or min-cuda", (needs, image, minCuda) => {
    expect(proposedFor({ "requirements.txt": needs })).toMatchObject({ images: [image], ...(minCuda && { minCuda }) });
    expect(proposedFor({ "requirements.txt": needs }).minCuda).toBe(minCuda);
  });

  test("without tests it is said that nvidia-smi alone tests nothing", () => {
    const nothing = "No tests were found. The command nvidia-smi alone tests nothing";
    expect(proposedFor({ "a.py": "import torch\n" }).says.join()).toContain(nothing);
    expect(proposedFor({ "a/test_a.py": "import torch\n" }).says.join()).not.toContain(nothing);
  });

  test("of several projects none is chosen, and they are named; one in a folder is installed from there", () => {
    const one = { "libs/a/pyproject.toml": 'dependencies = ["torch"]\n', "libs/a/test_a.py": "" };
    expect(proposedFor(one).command).toBe("python -m pip install pytest -e ./libs/a && python -m pytest");
    const two = proposedFor({ ...one, "libs/b/setup.py": "" });
    expect(two.command).toBe("python -m pip install pytest && python -m pytest");
    expect(two.says.join()).toContain("It holds 2 projects (libs/a, libs/b).");
    expect(two.library).toBe("torch");
  });

  test.each<[Awaited<ReturnType<typeof lookUpImage>>["answer"], string]>([
    [{ kind: "found", bytes: 1 }, "a/new:1"],
    [{ kind: "missing", word: "MANIFEST_UNKNOWN" }, "a/sure:1"],
    [{ kind: "unknown" }, "a/sure:1"],
  ])("an image that may not exist is taken where its registry has it (%j)", async (answer, taken) => {
    const asked: string[] = [];
    const look = async (image: string) => {
      asked.push(image);
      return { answer, why: "" };
    };
    expect(await firstThere(["a/new:1", "a/sure:1"], look)).toBe(taken);
    expect(asked).toEqual(["a/new:1"]);
  });

  test("a price below which eight machines are to be had, in whole cents", () => {
    expect(proposePrice([many], ["MANY"])).toBe(0.38);
    expect(proposePrice([few], ["few"])).toBe(0.21);
    expect(proposePrice([few], ["none"])).toBe(undefined);
  });

  test("ten minutes, the boot and the image's bytes are in a job's cost; a run's has room for a second machine", () => {
    expect(jobCost({ ...many, median: 0.6, perGb: 0.01 })).toBeCloseTo(0.17);
    expect(jobCost({ ...many, median: 0.6, perGb: 0.01 }, 57)).toBeCloseTo(0.64);
    expect(proposeCost(2, 30)).toBe(3);
    expect(proposeCost(0.1, 30)).toBe(1);
  });
});

const SETTINGS: Settings = {
  gpu: "RTX 4090, RTX 3090",
  maxPrice: 0.5,
  maxCost: 1,
  image: "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
  command: "pip install -e .\npytest -k 'a: b' # x",
  register: "app",
  appClientId: "Iv23liEXAMPLE",
  environment: "gpu",
  pullRequests: true,
  defaultBranch: "release/1,'#{x",
  action: { repository: "acme/ephemeral-gpu-runner", ref: "a".repeat(40), version: "v1.2.3" },
};

describe("the files", () => {
  const files = workflowFiles(SETTINGS);

  test("are YAML that holds what was asked for, whatever it contains", () => {
    const gpu = parse(files[0]?.text ?? "");
    expect(gpu.on.push.branches).toEqual(["release/1,'#{x"]);
    expect(gpu.jobs.rent.steps[0].with["client-id"]).toBe("Iv23liEXAMPLE");
    expect(gpu.jobs.rent.steps[1].with["github-token"]).toBe("$" + "{{ steps.app.outputs.token }}");
    expect(gpu.jobs.test.steps[1].run.trimEnd()).toBe(SETTINGS.command);
    for (const { text } of files) expect(text.match(/uses: .*@(?![0-9a-f]{40} # v\d)/g)).toBe(null);
  });

  test.each([
    [undefined, undefined, 30, undefined],
    [10, 10, 30, undefined],
    [40, 40, 80, undefined],
    [90, 90, 180, "190m"],
  ])(
    "--job-minutes %s: job-minutes %s, a limit of %d minutes, max-lifetime %s",
    (jobMinutes, told, limit, lifetime) => {
      const [file] = workflowFiles({ ...SETTINGS, jobMinutes });
      const { jobs } = parse(file?.text ?? "");
      expect(jobs.rent.steps[1].with["job-minutes"]).toBe(told);
      expect(jobs.rent.steps[1].with["max-lifetime"]).toBe(lifetime);
      expect(jobs.test["timeout-minutes"]).toBe(limit);
    },
  );

  // What the linter itself finds in them, .ci/run asks.
  test("say beside the one trigger that linters fear why it does no harm", () => {
    const lines = files.flatMap(({ text }) => text.split("\n"));
    const feared = lines.filter((line) => /^ +(workflow_run|pull_request_target|issue_comment):/.test(line));
    expect(feared).toEqual([expect.stringMatching(/ # zizmor: ignore\[dangerous-triggers\] \w+/)]);
  });

  test("say what must not be done and why, what a price was proposed on, and what renews them", () => {
    const proposed = "proposed on 2026-11-26, 9 machines below it, RTX 4090 from 0.31";
    const written = workflowFiles({ ...SETTINGS, proposed, minCuda: "12.8" });
    const [gpu = "", ...sweeps] = written.map(({ text }) => text);
    for (const words of [
      "test: # Give it no `needs: rent`",
      "# Runs of forks and Dependabot have no secrets",
      "timeout-minutes: 350 # GitHub kills a hosted job at 360",
      `max-price: 0.5 # USD an hour, ${proposed}\n`,
      'min-cuda: "12.8" #',
    ])
      expect(gpu).toContain(words);
    for (const text of [gpu, ...sweeps]) {
      expect(text).toContain("npx https://github.com/acme/ephemeral-gpu-runner/releases/latest/download/setup.tgz\n");
      expect(text).toContain("https://github.com/acme/ephemeral-gpu-runner/blob/main/docs/init.md\n");
    }
    expect(parse(gpu).jobs.rent.steps[1].with["max-cost"]).toBe(1);
    // A person changes the price, and leaves its market out, or not; writes something else there.
    expect(ownership(gpu.replace(/0\.5 # USD an hour, proposed.*/, "0.9"))).toBe("ours");
    expect(ownership(gpu.replace(/0\.5 # USD an hour/, "0.9 # USD an hour"))).toBe("ours");
    expect(ownership(gpu.replace(/0\.5 # USD an hour, proposed.*/, "0.9 # mine"))).toBe("changed");
  });

  test("register the runners in the organisation where a group is given, with that right alone", () => {
    const { rent } = parse(workflowFiles({ ...SETTINGS, runnerGroupId: 7 })[0]?.text ?? "").jobs;
    expect(rent.steps[0].with).toMatchObject({ "permission-organization-self-hosted-runners": "write" });
    expect(rent.steps[0].with["permission-administration"]).toBe(undefined);
    expect(rent.steps[1].with).toMatchObject({ "runner-scope": "org", "runner-group-id": 7 });
  });

  test("are known again, with their settings; one change beside those and they are not ours any more", () => {
    const [{ text = "" } = {}] = files;
    expect(files.map((file) => ownership(file.text))).toEqual(["ours", "ours", "ours"]);
    expect(ownership(text.replaceAll("\n", "\r\n"))).toBe("ours");
    expect(settingsIn(text)).toEqual(SETTINGS);
    expect(ownership(text.replace("max-price: 0.5", "max-price: 5"))).toBe("ours");
    expect(ownership(text.replace("runs-on: ubuntu-latest", "runs-on: self-hosted"))).toBe("changed");
    expect(ownership(text.replace("max-price: 0.5", "max-price: 5 # by hand"))).toBe("changed");
    expect(ownership("name: gpu\n")).toBe("foreign");
    expect(ownership("")).toBe("foreign");
  });
});

describe("what is typed is read back as it was", () => {
  test.each<[string, Partial<Settings>]>([
    ["with an app", {}],
    ["with a token", { register: "token", appClientId: undefined }],
    ["without an environment", { environment: undefined }],
    ["without pull requests", { pullRequests: false }],
    ["with a name that YAML takes for something else", { environment: "true", pullRequests: false }],
    ["with a name that YAML takes for a number", { environment: "1.10", pullRequests: false, appClientId: "123e4" }],
    ["with minutes", { jobMinutes: 90 }],
    ["with no limit of the cost", { maxCost: "none" }],
    ["with a CUDA", { minCuda: "12.0" }],
    ["with an organisation's group", { runnerGroupId: 7 }],
    ["with the market of a price", { proposed: "proposed on 2026-11-26, 9 machines below it, RTX 4090 from 0.31" }],
    ["with a price of less than a cent", { maxPrice: 0.001 }],
    ["with a command of many signs", { command: "a: |\n\n  - b\n\t$(x) '\" # \\ é 👩‍🔬\n--- \n%" }],
  ])("%s", (_, more) => {
    const settings = { ...SETTINGS, ...more };
    const [{ text = "" } = {}] = workflowFiles(settings);
    expect(settingsIn(text)).toEqual(JSON.parse(JSON.stringify(settings)));
  });

  test.each([
    ["environment", ".."],
    ["environment", "a/b"],
    ["environment", "a' || 'b"],
    ["command", "ls \u2028- run: x"],
    ["command", "\u202els"],
    ["command", "ls\rx"],
    ["command", "  "],
    ["maxPrice", "1e-9"],
    ["maxPrice", true],
    ["gpu", Array(60).fill("a").join(", ").concat("!")],
  ] as const)("%s can't be %j", (key, given) => expect(() => readSetting(key, given, "it")).toThrow(SetupError));
});

test("a name is one part of a path at GitHub, or none", () => {
  expect(repositoryPath("octo/gpu lib")).toBe("repos/octo/gpu%20lib");
  expect(partOf("x/../../collaborators/y?z#")).toBe("x%2F..%2F..%2Fcollaborators%2Fy%3Fz%23");
  for (const name of ["..", ".", ""]) expect(() => partOf(name)).toThrow(SetupError);
  expect(() => repositoryPath("octo/..")).toThrow(SetupError);
});

test("a diff shows what goes and what comes, with two lines around it", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  expect(diffLines(before, "a\nb\nc\nD\ne\nf\n")).toEqual([" b", " c", "-d", "+D", " e", " f"]);
  expect(diffLines("", "a\nb\n")).toEqual(["+a", "+b"]);
  expect(diffLines("a\nb\n", "")).toEqual(["-a", "-b"]);
  expect(diffLines(before, before)).toEqual([]);
});

test("nothing that is printed holds a secret, a line of one, or what steers a terminal", () => {
  const secrets = new Secrets();
  let printed = "";
  const screen = new Screen({ write: (text) => (printed += text) }, secrets);
  expect(secrets.keep(" key-of-somebody \n")).toBe("key-of-somebody");
  secrets.keep("-----BEGIN-----\nbase64line1\nbase64line2\n-----END-----");
  screen.say("it is key-of-somebody, base64line2\u001b[2K\r");
  expect(printed).toBe("it is ***, ***[2K\n");
});

test("what would change the order of a line is shown by its number", () => {
  let printed = "";
  const screen = new Screen({ write: (text) => (printed += text) }, new Secrets());
  screen.say("safe \u202egnp.exe\u2066 \u2028");
  expect(printed).toBe("safe <U+202E>gnp.exe<U+2066> <U+2028>\n");
});

describe("the app's page", () => {
  const repository = {
    id: 7,
    html_url: "https://github.com/octo/gpu-lib",
    owner: { login: "octo", id: 1, type: "User" },
  };
  const open = () => AppPage.open(repository as Repository, "https://github.com");

  /** Sends bytes, and gives the first line of the answer. */
  async function send(url: string, path: string, host = new URL(url).host): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const parts = await socket.toArray();
    return Buffer.concat(parts).toString().split("\r\n")[0] ?? "";
  }

  test.each(["//", "/", "http://[", "*", "/%", "/?code=%E0%A4%A"])("outlives a request for %s", async (path) => {
    await using page = await open();
    expect(await send(page.url, path)).toBe("HTTP/1.1 404 Not Found");
    expect(await send(page.url, new URL(page.url).pathname)).toBe("HTTP/1.1 200 OK");
  });

  test.each(["evil.example", "127.0.0.1", "localhost:PORT", ""])("answers nobody by the name %j", async (name) => {
    await using page = await open();
    const { port, pathname } = new URL(page.url);
    expect(await send(page.url, pathname, name.replace("PORT", port))).toBe("HTTP/1.1 404 Not Found");
  });
});

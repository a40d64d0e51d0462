import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { partOf, repositoryPath } from "../../setup/gh.ts";
import { findCheckout, readRemote } from "../../setup/git.ts";
import { SetupError } from "../../setup/setup-error.ts";
import { within } from "../../setup/surroundings.ts";

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
  ...["/srv/git/gpu-lib.git", "../elsewhere", "./git:hub/octo/gpu-lib", "C:/octo/gpu-lib", "C:octo/gpu-lib"],
  ...["C:\\octo\\gpu-lib", "elsewhere/octo/gpu-lib", "file:///octo/gpu-lib.git", "ext::program octo/gpu-lib"],
  ...["ftp://github.com/octo/gpu-lib.git", "", "https://github.com/octo", "git@github.com:gpu-lib"],
  ...["git@-oProxyCommand=x:octo/gpu-lib", "-oProxyCommand=x:octo/gpu-lib"],
])("%j is none of GitHub", (url) => expect(readRemote(url)).toBe(undefined));

/** The host of a checkout with this origin, where ssh is this program; without one, where there is none. */
async function hostOf(origin: string, ssh: string | undefined, ...setting: string[]): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "remote-"));
  const bin = join(root, "bin");
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  mkdirSync(bin);
  symlinkSync(git, join(bin, "git"));
  if (ssh !== undefined) writeFileSync(join(bin, "ssh"), `#!/bin/sh\n${ssh}\n`, { mode: 0o755 });
  try {
    execFileSync(git, ["init", "--quiet"], { cwd: root });
    if (setting.length > 0) execFileSync(git, ["config", ...setting], { cwd: root });
    execFileSync(git, ["remote", "add", "origin", origin], { cwd: root });
    const surroundings = { env: { ...process.env, PATH: bin }, sleep: async () => {} };
    const { host, repository } = await within(surroundings, () => findCheckout(root));
    expect(repository).toBe("octo/gpu-lib");
    return host;
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Knows one name, as `ssh -G` prints it. */
const knows = (name: string, hostname: string) =>
  `[ "$*" = "-G -- ${name}" ] || exit 9\nprintf 'user git\\nhostname %s\\nport 22\\n' "${hostname}"`;
const GHE = "git@ghe.example.com:octo/gpu-lib.git";
const OTHER = "echo hostname other.example.com";

test.each<[string, string, string | undefined, string]>([
  ["git@hub-work:octo/gpu-lib.git", "has a name of ~/.ssh/config", knows("hub-work", "github.com"), "github.com"],
  ["work:octo/gpu-lib.git", "has one", knows("work", "github.com"), "github.com"],
  ["work:/octo/gpu-lib.git", "has one for a firewall", knows("work", "ssh.github.com"), "github.com"],
  ["ssh://git@Work/octo/gpu-lib.git", "has one in capitals", knows("Work", "GitHub.com"), "github.com"],
  ["git+ssh://git@work/octo/gpu-lib.git", "has one with a scheme", knows("work", "github.com"), "github.com"],
  [GHE, "meets no ssh", undefined, "ghe.example.com"],
  [GHE, "meets an ssh that fails", "echo hostname github.com; exit 255", "ghe.example.com"],
  [GHE, "meets an ssh that prints nothing", "exit 0", "ghe.example.com"],
  [GHE, "meets what is no name", "echo hostname -oProxyCommand=x", "ghe.example.com"],
  [GHE, "stands for a bare number, which no login has", knows("ghe.example.com", "192.0.2.7"), "ghe.example.com"],
  [GHE, "stands for a number of IPv6", knows("ghe.example.com", "2001:db8::7"), "ghe.example.com"],
  ["git@github.com:octo/gpu-lib.git", "is known without ssh", OTHER, "github.com"],
  ["https://github.com/octo/gpu-lib.git", "is known without ssh", OTHER, "github.com"],
  ["git://github.com/octo/gpu-lib.git", "is known without ssh", OTHER, "github.com"],
])("the origin %s %s", async (origin, _, ssh, host) => expect(await hostOf(origin, ssh)).toBe(host));

test("the origin may be written with an abbreviation of the user's git", async () =>
  expect(await hostOf("gh:octo/gpu-lib", undefined, "url.git@github.com:.insteadOf", "gh:")).toBe("github.com"));

test("an ssh that hangs is not waited for, nor what it started", async () => {
  const sleep = execFileSync("sh", ["-c", "command -v sleep"], { encoding: "utf8" }).trim();
  const marker = mkdtempSync(join(tmpdir(), "hangs-"));
  expect(await hostOf(GHE, `(${sleep} 12; : >${marker}/over) & wait`)).toBe("ghe.example.com");
  expect(readdirSync(marker)).toEqual([]);
  rmSync(marker, { recursive: true });
}, 60_000);

test("a name is one part of a path at GitHub, or none", () => {
  expect(repositoryPath("octo/gpu lib")).toBe("repos/octo/gpu%20lib");
  expect(partOf("x/../../collaborators/y?z#")).toBe("x%2F..%2F..%2Fcollaborators%2Fy%3Fz%23");
  for (const name of ["..", ".", ""]) expect(() => partOf(name)).toThrow(SetupError);
  expect(() => repositoryPath("octo/..")).toThrow(SetupError);
});

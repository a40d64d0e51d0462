import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FIRST_RUN = readFileSync(new URL("../../docs/first-run.md", import.meta.url), "utf8");

/** One command, and what it says. */
export interface Step {
  /** The command line's own is the default. */
  program?: "ssh" | "scp";
  command: (ids: ReadonlyMap<string, string>) => string[];
  /** Must be in the output: it ends with 0 even where the service refused. */
  says: RegExp;
  /** The group of `says` that later steps need, and its name. */
  keep?: string;
}

const of = (name: string) => (ids: ReadonlyMap<string, string>) => ids.get(name) ?? "0";
const instance = of("instance");
const volume = of("volume");
const room = of("room");
const step = (says: RegExp, command: Step["command"], keep?: string): Step => ({
  command,
  says,
  ...(keep === undefined ? {} : { keep }),
});

const SSH = "BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR IdentitiesOnly=yes";
/** The key pairs in the client's home. */
export const KEYS = ["mine", "other"] as const;
const publicKey = (ids: ReadonlyMap<string, string>, key: (typeof KEYS)[number]) =>
  readFileSync(join(of("home")(ids), `${key}.pub`), "utf8").trim();
/** With one of the keys, to where `ssh-url` said. */
const options = (ids: ReadonlyMap<string, string>, key: (typeof KEYS)[number]) => [
  ...["-F", "/dev/null", "-i", join(of("home")(ids), key)],
  ...SSH.split(" ").flatMap((option) => ["-o", option]),
];
const logIn = (says: RegExp, key: (typeof KEYS)[number], ...command: string[]): Step => ({
  program: "ssh",
  says,
  command: (ids) => [...options(ids, key), "-p", of("port")(ids), `root@${of("host")(ids)}`, ...command],
});

const CREATE = [
  ..."--image debian:13 --disk 10 --ssh --direct --label cli --cancel-unavail --mount-path /data".split(" "),
  ...["--onstart-cmd", "echo hello from onstart; env | grep ^A= >>/etc/environment"],
];
/** A day with the service, in its order. */
export const STEPS: readonly Step[] = [
  step(/api key has been saved/, (ids) =>
    firstRunCommand("set api-key").map((word) => word.replace("YOUR_KEY", of("key")(ids))),
  ),
  step(/'success': True/, (ids) => ["create", "ssh-key", publicKey(ids, "mine")]),
  step(/@mine/, () => ["show", "ssh-keys"]),
  step(/"id": 12,/, () => "search offers gpu_name=RTX_4090 num_gpus=1 --raw".split(" ")),
  step(/"id": (5040305),/, () => "search volumes machine_id=40305 --raw".split(" "), "room"),
  step(/'volume_id': (\d+)/, (ids) => ["create", "volume", room(ids), "-s", "20", "-n", "cache"], "volume"),
  step(
    /'success': True, 'new_contract': (\d+)/,
    (ids) => ["create", "instance", "12", ...CREATE, "--link-volume", volume(ids), "--env", "-p 8000:8000 -e A=b"],
    "instance",
  ),
  step(/"actual_status": "running"/, (ids) => ["show", "instance", instance(ids), "--raw"]),
  step(/ssh:\/\/root@([\d.]+):/, (ids) => ["ssh-url", instance(ids)], "host"),
  step(/scp:\/\/root@[\d.]+:(\d+)/, (ids) => ["scp-url", instance(ids)], "port"),
  logIn(/^A=b$/m, "mine", "env"),
  logIn(/^none$/m, "mine", "printenv CONTAINER_API_KEY || echo none"),
  {
    program: "scp",
    says: /^$/,
    command: (ids) => {
      const there = `root@${of("host")(ids)}:there`;
      return [...options(ids, "mine"), "-P", of("port")(ids), join(of("home")(ids), "mine.pub"), there];
    },
  },
  logIn(/@mine/, "mine", "cat there"),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/'id': (\d+)/, (ids) => ["create", "ssh-key", publicKey(ids, "other")], "other"),
  step(/'success': True/, (ids) => ["attach", "ssh", instance(ids), publicKey(ids, "other")]),
  logIn(/^in$/m, "other", "echo in"),
  step(/'success': True/, (ids) => ["detach", "ssh", instance(ids), of("other")(ids)]),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/404|no_such_ssh_key/, (ids) => ["detach", "ssh", instance(ids), of("other")(ids)]),
  step(/set to other/, (ids) => ["label", "instance", instance(ids), "other"]),
  step(/"label": "other"/, () => ["show", "instances", "--raw"]),
  step(/hello from onstart/, (ids) => ["logs", instance(ids), "--tail", "5"]),
  step(/Rebooting instance/, (ids) => ["reboot", "instance", instance(ids)]),
  step(/stopping instance/, (ids) => ["stop", "instance", instance(ids)]),
  step(/starting instance/, (ids) => ["start", "instance", instance(ids)]),
  step(/"credit": 2\d\./, () => ["show", "user", "--raw"]),
  step(/"name": "cache"/, () => ["show", "volumes", "--raw"]),
  step(/New Template: .*'name': 'cli-template'/, () => {
    return ["create", "template", "--name", "cli-template", "--image", "debian", "--image_tag", "13"];
  }),
  step(/"name": "cli-template"/, () => ["search", "templates", "name=cli-template"]),
  step(/'apikeys': \[\{'id': \d+/, () => ["show", "api-keys"]),
  step(/'key': '\w+'/, () => firstRunCommand("create api-key")),
  step(/'roles': \['team_owner'\]/, () => ["show", "members"]),
  step(/"amount": 0\.\d+[\s\S]*"source": "instance-\d+"/, () => charges("--raw")),
  step(/Charges Breakdown[\s\S]*hours of GPU/, () => charges("--format", "tree", "--verbose")),
  // A bid below the floor is refused, and leaves a stopped instance that bills its disk.
  step(/400: error 400\/3731: the bid for 13 is below the minimum/, () =>
    "create instance 13 --image debian:13 --disk 10 --label cheap --bid_price 0.01".split(" "),
  ),
  step(/^(\d+)$/m, () => "show instances --label cheap --quiet".split(" "), "cheap"),
  step(/destroying instance/, (ids) => ["destroy", "instance", of("cheap")(ids), "-y"]),
  step(/destroying instance/, (ids) => ["destroy", "instance", instance(ids), "-y"]),
  step(/404: .*no_such_instance/, (ids) => ["destroy", "instance", instance(ids), "-y"]),
  logIn(/Connection refused/, "mine", "true"),
  step(/Deleted\. \{'success': True\}/, (ids) => ["delete", "volume", volume(ids)]),
];

/** All charges; simulated time is ahead of the clock by which the command line asks. */
function charges(...more: string[]): string[] {
  const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
  return ["show", "invoices-v1", "--charges", "--start-date", day(-1), "--end-date", day(2), ...more];
}

/** Wrong inputs when nothing is rented any more, and the words of the refusal. */
export const WRONG: readonly (readonly [says: RegExp, command: string])[] = [
  [/401: Invalid user key/, "show user --api-key wrong"],
  [/404: Invalid user key/, "search offers num_gpus=1 --api-key wrong"],
  [/400: invented is not a valid search key/, "search offers invented=1"],
  [/400 Client Error/, "search templates invented=1"],
  [/404: .*no_such_ask/, "create instance 999999 --image debian:13"],
  [/400: disk 5000 GB exceeds/, "create instance 12 --image debian:13 --disk 5000"],
  [/404: .*no_such_instance/, "change bid 1 --price 0.3"],
  [/404: .*no_such_instance/, "detach ssh 1 3001"],
  [/404: There is no instance 1/, "logs 1"],
  [/400: Invalid pagination token/, "show invoices-v1 --charges --next-token invented"],
];

/** A command of docs/first-run.md that begins so, without the program's name. */
function firstRunCommand(start: string): string[] {
  const [, command = ""] = new RegExp(`^vastai (${start} .+)$`, "m").exec(FIRST_RUN) ?? [];
  return command.split(" ");
}

/** Writes the key's permissions to the file that the command names. */
export function writePermissions(folder: string): void {
  const [, json = ""] = /```json\n(\{"api": .+\})\n```/.exec(FIRST_RUN) ?? [];
  JSON.parse(json);
  writeFileSync(join(folder, "ci-key.json"), json);
}

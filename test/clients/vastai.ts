import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { follow, type Place, type Step } from "./command-line.ts";

const FIRST_RUN = readFileSync(new URL("../../docs/first-run.md", import.meta.url), "utf8");

const of =
  (name: string) =>
  ({ known }: Place) =>
    known.get(name) ?? "0";
const instance = of("instance");
const volume = of("volume");
const room = of("room");
const step = (says: RegExp, words: Step["words"], keep?: string): Step => ({
  words,
  says,
  ...(keep === undefined ? {} : { keep }),
});

const SSH = "BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR IdentitiesOnly=yes";
/** The key pairs in the client's home. */
const KEYS = ["mine", "other"] as const;
const publicKey = ({ home }: Place, key: (typeof KEYS)[number]) =>
  readFileSync(join(home, `${key}.pub`), "utf8").trim();
/** With one of the keys, to where `ssh-url` said. */
const options = ({ home }: Place, key: (typeof KEYS)[number]) => [
  ...["-F", "/dev/null", "-i", join(home, key)],
  ...SSH.split(" ").flatMap((option) => ["-o", option]),
];
const logIn = (says: RegExp, key: (typeof KEYS)[number], ...command: string[]): Step => ({
  program: "ssh",
  says,
  words: (at) => [...options(at, key), "-p", of("port")(at), `root@${of("host")(at)}`, ...command],
});

const CREATE = [
  ..."--image debian:13 --disk 10 --ssh --direct --label cli --cancel-unavail --mount-path /data".split(" "),
  ...["--onstart-cmd", "echo hello from onstart; env | grep ^A= >>/etc/environment"],
];
/** A day with the service, in its order. It ends with 0 even where the service refused. */
const STEPS: readonly Step[] = [
  step(/api key has been saved/, ({ sim }) =>
    firstRunCommand("set api-key").map((word) => word.replace("YOUR_KEY", sim.service.apiKey)),
  ),
  step(/'success': True/, (at) => ["create", "ssh-key", publicKey(at, "mine")]),
  step(/@mine/, () => ["show", "ssh-keys"]),
  step(/"id": 12,/, () => "search offers gpu_name=RTX_4090 num_gpus=1 --raw".split(" ")),
  step(/"id": (5040305),/, () => "search volumes machine_id=40305 --raw".split(" "), "room"),
  step(/'volume_id': (\d+)/, (at) => ["create", "volume", room(at), "-s", "20", "-n", "cache"], "volume"),
  step(
    /'success': True, 'new_contract': (\d+)/,
    (at) => ["create", "instance", "12", ...CREATE, "--link-volume", volume(at), "--env", "-p 8000:8000 -e A=b"],
    "instance",
  ),
  step(/"actual_status": "running"/, (at) => ["show", "instance", instance(at), "--raw"]),
  step(/ssh:\/\/root@([\d.]+):/, (at) => ["ssh-url", instance(at)], "host"),
  step(/scp:\/\/root@[\d.]+:(\d+)/, (at) => ["scp-url", instance(at)], "port"),
  logIn(/^A=b$/m, "mine", "env"),
  logIn(/^none$/m, "mine", "printenv CONTAINER_API_KEY || echo none"),
  {
    program: "scp",
    says: /^$/,
    words: (at) => {
      const there = `root@${of("host")(at)}:there`;
      return [...options(at, "mine"), "-P", of("port")(at), join(at.home, "mine.pub"), there];
    },
  },
  logIn(/@mine/, "mine", "cat there"),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/'id': (\d+)/, (at) => ["create", "ssh-key", publicKey(at, "other")], "other"),
  step(/'success': True/, (at) => ["attach", "ssh", instance(at), publicKey(at, "other")]),
  logIn(/^in$/m, "other", "echo in"),
  step(/'success': True/, (at) => ["detach", "ssh", instance(at), of("other")(at)]),
  logIn(/Permission denied \(publickey\)/, "other", "true"),
  step(/404|no_such_ssh_key/, (at) => ["detach", "ssh", instance(at), of("other")(at)]),
  step(/set to other/, (at) => ["label", "instance", instance(at), "other"]),
  step(/"label": "other"/, () => ["show", "instances", "--raw"]),
  step(/hello from onstart/, (at) => ["logs", instance(at), "--tail", "5"]),
  step(/Rebooting instance/, (at) => ["reboot", "instance", instance(at)]),
  step(/stopping instance/, (at) => ["stop", "instance", instance(at)]),
  step(/starting instance/, (at) => ["start", "instance", instance(at)]),
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
  step(/destroying instance/, (at) => ["destroy", "instance", of("cheap")(at), "-y"]),
  step(/destroying instance/, (at) => ["destroy", "instance", instance(at), "-y"]),
  step(/404: .*no_such_instance/, (at) => ["destroy", "instance", instance(at), "-y"]),
  logIn(/Connection refused/, "mine", "true"),
  step(/Deleted\. \{'success': True\}/, (at) => ["delete", "volume", volume(at)]),
];

/** All charges; simulated time is ahead of the clock by which the command line asks. */
function charges(...more: string[]): string[] {
  const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
  return ["show", "invoices-v1", "--charges", "--start-date", day(-1), "--end-date", day(2), ...more];
}

/** Wrong inputs when nothing is rented any more, and the words of the refusal. */
const WRONG: readonly (readonly [says: RegExp, command: string])[] = [
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

/** Drives the service's official command line, and logs in where it says. */
export async function driveVastai(program: string, place: Place): Promise<void> {
  const [, permissions = ""] = /```json\n(\{"api": .+\})\n```/.exec(FIRST_RUN) ?? [];
  JSON.parse(permissions);
  // The file that the page's command names.
  writeFileSync(join(place.home, "ci-key.json"), permissions);
  for (const key of KEYS)
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", `@${key}`, "-f", join(place.home, key)]);
  const wrong = WRONG.map(([says, command]) => step(says, () => command.split(" ")));
  const env = { PATH: process.env.PATH ?? "", HOME: place.home, VAST_URL: place.sim.service.url, NO_COLOR: "1" };
  await follow([...STEPS, ...wrong], program, env, place);
}

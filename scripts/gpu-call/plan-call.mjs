import { posix } from "node:path";
import { readMatrix } from "./matrix.mjs";
import { warnOfMoney } from "./money.mjs";
import { MOST_MINUTES, warnOfRounds } from "./rounds.mjs";

/** The most that the action takes for max-lifetime: a day. */
const LONGEST_LIFE = 1440;
/** How long a machine may take beside its jobs. */
const BESIDE_JOBS = 10;

const NO_SECRETS =
  "GitHub gives no secrets to runs of forks and of Dependabot, so no GPU job runs here. To give this pull request a GPU, a maintainer reads " +
  "it and pushes its branch to this repository. That starts a run with secrets, if the workflow runs on pushes to that branch or on a pull request " +
  "from it.";

/**
 * A call of gpu.yml: a notice (nothing is to be rented), its faults, or the needs of its jobs.
 * Those never name the run: "Re-run failed jobs" hands them to the next attempt as they are.
 * @param {Record<string, string>} call the inputs of action.yml beside this file
 * @param {{ repository: string, actor: string, event: string, headRepository?: string }} run the
 * last: where a pull request comes from, empty for a fork that was deleted
 * @returns {{ notice: string } | { wrong: string[] } |
 * { outputs: Record<string, string>, warnings: { title: string, text: string }[] }}
 */
export function planCall(call, run) {
  const owner = wrongOwner(call, run);
  if (owner) return { wrong: [owner] };
  if (run.event === "pull_request_target")
    return { wrong: ["pull_request_target would run a fork's code beside your secrets; use pull_request."] };
  if (isWithoutSecrets(run)) return { notice: NO_SECRETS };
  const matrix = readMatrix(call.matrix);
  const wrong = [...wrongInputs(call), ...("wrong" in matrix ? [matrix.wrong] : wrongValues(matrix.rows))];
  if (wrong.length > 0 || !("rows" in matrix)) return { wrong };
  const warnings = [warnOfRounds(call, matrix.rows.length), warnOfMoney(call)];
  return { outputs: outputsFor(call, matrix.rows), warnings: warnings.filter((each) => each !== undefined) };
}

/** GitHub's rule, said here because its own sentence names neither the reason nor the way out. */
function wrongOwner(call, { repository }) {
  const [ours = "", name = ""] = call["workflow-repository"].split("/");
  const [theirs] = repository.split("/");
  if (ours === "" || ours.toLowerCase() === theirs.toLowerCase() || call["same-enterprise"] === "true")
    return undefined;
  return (
    `GitHub queues no job of a called workflow on the runners of another owner: this one is ${ours}'s, the run ${theirs}'s. ` +
    `Fork ${ours}/${name} into ${theirs} and call ${theirs}/${name}/.github/workflows/gpu.yml, or use the workflow with two jobs ` +
    "(README). If both are of one enterprise: same-enterprise: true."
  );
}

function isWithoutSecrets({ repository, actor, headRepository }) {
  return actor === "dependabot[bot]" || (headRepository !== undefined && headRepository !== repository);
}

function wrongInputs(call) {
  const minutes = Number(call["timeout-minutes"]);
  const mostKept = LONGEST_LIFE - lifetimeOf(call, 0);
  const found = [
    call.run.trim() === "" && "run is empty: it is the command of the GPU jobs.",
    Buffer.byteLength(call.run) > 65_536 && "run is longer than 64 KB: put it into a script of the repository.",
    !(minutes >= 1 && minutes <= MOST_MINUTES) && `timeout-minutes must be from 1 to ${MOST_MINUTES}.`,
    !/^([a-z0-9]([a-z0-9.-]{0,22}[a-z0-9])?)?$/.test(call.name) &&
      "name must be up to 24 small letters, digits, dots and hyphens, such as cuda12.",
    !/^[1-4]$/.test(call["jobs-per-machine"]) && "jobs-per-machine must be from 1 to 4.",
    Number.isNaN(minutesOf(call["keep-failed"])) && "keep-failed must be a duration such as 15m, 90s or 1h30m.",
    mostKept >= 0 &&
      minutesOf(call["keep-failed"]) > mostKept &&
      `keep-failed must be at most ${mostKept}m with this timeout-minutes and jobs-per-machine.`,
    ...call.artifacts.split("\n").map(wrongArtifact),
    ...missingSecrets(call),
  ];
  return found.filter((sentence) => typeof sentence === "string");
}

/** A duration in minutes, rounded up; NaN for what is none. Empty is none at all, so 0. */
function minutesOf(duration) {
  const parts = /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/.exec(duration);
  if (!parts) return Number.NaN;
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return hours * 60 + minutes + Math.ceil(seconds / 60);
}

/** Computes a machine's max-lifetime, if it is kept for so long after a job that failed. All in minutes. */
function lifetimeOf(call, kept) {
  return Math.ceil(Number(call["timeout-minutes"]) * Number(call["jobs-per-machine"])) + BESIDE_JOBS + kept;
}

/** A path out of the work folder would upload things of the machine's owner, or of another job. */
function wrongArtifact(line) {
  const path = line.trim().replace(/^!/, "");
  const leaves = /^[/~\\]|^[A-Za-z]:/.test(path) || posix.normalize(path).split("/")[0] === "..";
  return leaves && `artifacts: ${JSON.stringify(path)} is outside of the work folder.`;
}

/** An environment's secrets reach only the job that names it: there the action itself looks. */
function missingSecrets(call) {
  if (call.environment !== "") return [];
  const byApp = call["app-client-id"] !== "";
  const hasToken = byApp ? call["has-app-private-key"] : call["has-runner-token"];
  return [
    call["has-api-key"] !== "true" &&
      "secrets: api-key is empty: create the secret and hand it to the call; where it is in an environment, set environment, and secrets: inherit.",
    hasToken !== "true" && `secrets: ${byApp ? "app-private-key" : "runner-token"} is empty; likewise.`,
  ];
}

function wrongValues(rows) {
  const texts = rows.flatMap((row) => Object.entries(row).map(([name, value]) => ({ name, text: textOf(value) })));
  const bad = texts.find(({ text }) => /[\r\n\0]/.test(text));
  return bad === undefined ? [] : [`matrix: a value of ${bad.name} has more than one line.`];
}

function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function outputsFor(call, rows) {
  const include = rows.map((row, index) => ({
    index,
    title: Object.values(row).map(textOf).join(", "),
    variables: Object.entries(row)
      .map(([name, value]) => `MATRIX_${name.toUpperCase().replaceAll("-", "_")}=${textOf(value)}`)
      .join("\n"),
  }));
  return {
    go: "true",
    jobs: String(rows.length),
    matrix: JSON.stringify({ include }),
    "max-lifetime": `${lifetimeOf(call, minutesOf(call["keep-failed"]))}m`,
  };
}

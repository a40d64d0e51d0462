import { describe, expect, test } from "vitest";
import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { Fault } from "../../simulator/scenario/fault.ts";
import type { StatusStep } from "../../simulator/scenario/simulate.ts";
import { shownError } from "../support/shown-error.ts";
import { type SessionOptions, type SimulatedSession, startSession, until } from "../support/simulated-session.ts";

/** One thing that goes wrong, and what the user is told. */
interface Story {
  what: string;
  session?: SessionOptions;
  github?: GithubFault[];
  /** Done once the machine is there. */
  meanwhile?: (session: SimulatedSession) => void;
  error: string;
  message: RegExp;
  hint: RegExp;
  /** How many machines were rented (default 0). */
  machines?: number;
}

/** Machines that go wrong one after the other, each in its way; no more than these may be tried. */
function boots(...ways: [actual_status: string | null, status_msg?: string][]): SessionOptions {
  const offers = ways.map(([actual_status, status_msg], index) => {
    const statuses: StatusStep[] = [
      { after: 1, actual_status: "loading" },
      { after: 2, actual_status, status_msg },
    ];
    return { id: 11 + index, machine_id: 40_011 + index, dph_base: 0.3 + index / 100, simulate: { statuses } };
  });
  return { with: { attempts: String(ways.length), "boot-timeout": "30s" }, scenario: { offers } };
}

const withFault = (...faults: Fault[]): SessionOptions => ({ scenario: { offers: [{ id: 11 }], faults } });
const create = (status: number, error: string, msg = "The service's own words"): SessionOptions =>
  withFault({ operation: "createInstance", kind: "status", status, body: { success: false, error, msg } });
const refused = (status: number, message: string, headers?: Record<string, string>): GithubFault[] => [
  { operation: "generateJitConfig", kind: "status", status, body: { message }, ...(headers && { headers }) },
];

/** The service's words instead of renting. */
const CREATE: Story[] = [
  ...(
    [
      ["insufficient_credit", /^Add credit/],
      ["spend_rate_limit", /^Verify the account's e-mail address.* more credit does not raise it/],
    ] as const
  ).map(([error, hint]) => ({
    what: error,
    session: create(400, error),
    error: "NoCreditError",
    message: /^Vast.ai rents nothing to this account: .*The service's own words\. Nothing was rented\.$/,
    hint,
  })),
  {
    what: "invalid_args",
    session: create(400, "invalid_args"),
    error: "CreateRefusedError",
    message:
      /^Vast.ai refused to create the instance \(400\): invalid_args: The service's own words\. Nothing was rented\.$/,
    hint: /image, disk and env/,
  },
  {
    what: "a machine's host may not rent other people's machines",
    session: create(403, "invalid_args"),
    error: "PermissionError",
    message:
      /^Vast.ai refused "create instance" \(403\): invalid_args: The service's own words \(PUT \S+ needs the permission instance_write\)\. Nothing was rented\.$/,
    hint: /instance_write/,
  },
  {
    what: "a session that ran out, which looks like a 404",
    session: create(404, "session", "Session expired. Please log in again."),
    error: "AuthenticationError",
    message: /\(404\): session: Session expired/,
    hint: /Check the secret behind api-key/,
  },
  {
    what: "too many requests, again and again",
    session: {
      with: { "ready-timeout": "1m" },
      ...withFault({ operation: "createInstance", kind: "text", status: 429, text: "API requests too frequent" }),
    },
    error: "ReadyTimeoutError",
    message:
      /^No machine was ready within ready-timeout \(1m\)\. Vast.ai asked us to slow down, \d+ times\. Nothing was rented\.$/,
    hint: /Raise ready-timeout/,
  },
  {
    what: "a service that fails in every create",
    session: create(500, "server_error"),
    error: "OffersExhaustedError",
    message: /A create may have made an instance that no list shows yet\. The post step looks/,
    hint: /Run the job again/,
  },
];

/** The service's words when it is only asked. */
const READS: Story[] = [
  {
    what: "a search that always fails",
    session: withFault({ operation: "searchOffers", kind: "status", status: 500, body: { msg: "Oops" } }),
    error: "ServerError",
    message: /^Vast.ai refused "search offers" \(500\): Oops\. Nothing was rented\.$/,
    hint: /^/,
  },
  {
    what: "a search that is answered by something else",
    session: withFault({ operation: "searchOffers", kind: "text", text: "<html>Welcome</html>" }),
    error: "UnexpectedAnswerError",
    message: /^Vast.ai's answer to "search offers" could not be read/,
    hint: /api-url/,
  },
  {
    what: "a service that refuses connections",
    session: withFault({ operation: "listInstances", kind: "refuse" }),
    error: "NoAnswerError",
    message: /^Vast.ai gave no answer to "list instances"/,
    hint: /api-url/,
  },
  {
    what: "another program at api-url",
    session: withFault({ operation: "listInstances", kind: "text", status: 404, text: "Not here" }),
    error: "NotFoundError",
    message: /^Vast.ai refused "list instances" \(404\): Not here\. Nothing was rented\.$/,
    hint: /^/,
  },
];

/** The registry's words, by two machines: the image is to blame, or the login. */
const IMAGE_TEXTS = ["manifest unknown", "repository does not exist"] as const;
const LOGIN_TEXTS = ["unauthorized: authentication required", "pull access denied for octo/x"] as const;
/** Nobody here knows what it means, so it is no more than shown. */
const UNKNOWN_TEXT = "Error response from daemon: hm";
/** A host's words on itself: the next machine may do. */
const HOST_TEXTS = [
  "no space left on device",
  "unexpected EOF",
  "pull rate limit reached",
  "OCI runtime create failed: no such runtime",
  "Cannot connect to the Docker daemon",
  'failed to resolve reference "octo/x": failed to do request: dial tcp: i/o timeout',
];
const ENDED = ["exited", "offline", "unknown", "stopped", "frozen"];

const AFTER = "Nothing is rented any more\\.";
/** Who had no machine, and what that cost. */
const JOBS_AND_COST =
  / 'test' did not run, and will be cancelled with the run once no other job is open\.| (?:About \d\S+|Less than 0\.0001) USD spent\./g;

/** A sentence that tells of each attempt, in order. */
function eachAttempt(whys: readonly string[]): RegExp {
  const told = whys.map((why, index) => `Attempt ${index + 1}, offer \\d+ \\(.*?\\): ${why}\\. `);
  const more = told.length > 4 ? "The log has the others\\. " : "";
  return new RegExp(
    `^${told.length} of ${told.length} machines failed: .*?\\. ${told.slice(0, 4).join("")}${more}${AFTER}$`,
  );
}

/** The fates of rented machines. Every one is given back before the next is taken. */
const BOOTS: Story[] = [
  {
    what: "texts that blame the image",
    session: boots(...IMAGE_TEXTS.map((text): [string, string] => ["loading", text])),
    error: "ImageUnusableError",
    message: new RegExp(`^Two machines could not pull the image .*: ${IMAGE_TEXTS[1]}\\. ${AFTER}$`),
    hint: /image's name and tag/,
    machines: 2,
  },
  {
    what: "texts that blame the login",
    session: boots(...LOGIN_TEXTS.map((text): [string, string] => ["loading", text])),
    error: "ImageUnusableError",
    message: new RegExp(`^The registry refused two machines the image .*: ${LOGIN_TEXTS[1]}\\. ${AFTER}$`),
    hint: /image-login.* may have expired/,
    machines: 2,
  },
  {
    what: "a text that nobody knows",
    session: boots(["loading", UNKNOWN_TEXT]),
    error: "AttemptsExhaustedError",
    message: eachAttempt([
      `it did not reach running within boot-timeout \\(30s, last seen: loading: ${UNKNOWN_TEXT}\\)`,
    ]),
    hint: /boot-timeout/,
    machines: 1,
  },
  {
    what: "texts that blame the host",
    session: boots(...HOST_TEXTS.map((text): [string, string] => ["created", text])),
    error: "AttemptsExhaustedError",
    message: eachAttempt(HOST_TEXTS),
    hint: /raise min-reliability or attempts/,
    machines: HOST_TEXTS.length,
  },
  {
    what: "machines that end before they ran",
    session: boots(...ENDED.map((status): [string] => [status])),
    error: "AttemptsExhaustedError",
    message: eachAttempt(ENDED.map((status) => `it is ${status}`)),
    hint: /raise min-reliability or attempts/,
    machines: ENDED.length,
  },
  {
    what: "provisioned for ever",
    session: boots([null]),
    error: "AttemptsExhaustedError",
    message: eachAttempt(["it did not reach running within boot-timeout \\(30s, last seen: being made\\)"]),
    hint: /boot-timeout/,
    machines: 1,
  },
  ...(["outbid", "destroyed"] as const).map((change) => ({
    what: `${change} while it boots`,
    session: boots(["loading"]),
    meanwhile: (session: SimulatedSession) => session.sim.service.update(session.instances()[0]?.id ?? 0, change),
    error: "AttemptsExhaustedError",
    message: change === "outbid" ? /: the service stopped it\. / : /: the service does not know it any more\. /,
    hint: change === "outbid" ? /account's credit/ : /raise min-reliability or attempts/,
    machines: 1,
  })),
  {
    what: "GitHub drops the runner before a job came",
    session: {
      with: { attempts: "1", "online-timeout": "2m" },
      scenario: { offers: [{ id: 11, simulate: { machine: { onstart: "skip" } } }] },
    },
    meanwhile: (session) => session.sim.github.dropRunner(session.sim.github.runners()[0]?.id ?? 0),
    error: "AttemptsExhaustedError",
    message: /: GitHub dropped its runner before a job came; its runner configuration was \d+ s old\. /,
    hint: /raise min-reliability or attempts/,
    machines: 1,
  },
];

/** GitHub's refusals, from the registration of a runner to the list of jobs. */
const GITHUB: Story[] = [
  ...[
    [401, "Bad credentials", /^The token worked until /],
    [403, "Resource protected by organization SAML enforcement.", /Configure SSO/],
    [403, "Resource not accessible by integration", /Administration: write/],
  ].map(([status, sentence, hint]) => ({
    what: `${status} to the registration: ${sentence}`,
    github: refused(Number(status), String(sentence)),
    error: "GithubTokenError",
    message: new RegExp(
      `^github-token may not register runners in octo/gpu-lib \\(GitHub answered ${status}: ${sentence}\\)\\. Nothing was rented\\.$`,
    ),
    hint: hint as RegExp,
  })),
  {
    what: "422 to the registration",
    github: refused(422, "Repository level self-hosted runners are disabled for this repository"),
    error: "GithubRefusedError",
    message:
      /^GitHub refused to register runners in octo\/gpu-lib \(422: Repository level .* for this repository\)\. Nothing was rented\.$/,
    hint: /organisation owner has to allow them/,
  },
  {
    // GitHub lists no runner of that name, so it is a refusal like another, whatever its words.
    what: "409 to the registration, of a name that no runner has",
    github: refused(409, "Already exists - A runner with the name *** already exists."),
    error: "GithubRefusedError",
    message:
      /^GitHub refused to register runners in octo\/gpu-lib \(409: Already exists - .*\)\. Nothing was rented\.$/,
    hint: /organisation owner has to allow them/,
  },
  ...[
    { what: "a rate limit as 403", github: refused(403, "API rate limit exceeded", { "x-ratelimit-remaining": "0" }) },
    { what: "no connection", github: [{ operation: "generateJitConfig", kind: "reset" }] satisfies GithubFault[] },
  ].map(({ what, github }) => ({
    what: `the registration: ${what}`,
    // So long it is asked again: that GitHub can't be asked says nothing of what it allows.
    session: { with: { "ready-timeout": "1m" } },
    github,
    error: "GithubUnavailableError",
    message: /^GitHub could not be asked to register runners in octo\/gpu-lib \(.+\)\. Nothing was rented\.$/,
    hint: /githubstatus\.com/,
  })),
  {
    what: "no runner program for Linux on x64",
    github: [{ operation: "listDownloads", kind: "status", status: 200, body: [] }],
    error: "GithubRefusedError",
    message: /^GitHub refused to find the runner program .*no Linux x64 program/,
    hint: /^/,
  },
  {
    what: "the jobs can't be read for ten minutes",
    session: { with: { "wait-for-job": "1m" }, factor: 40 },
    github: [{ operation: "listJobs", kind: "status", status: 503 }],
    error: "HoldError",
    message: /^The jobs of this run could not be read for 10 minutes and more: .* Nothing was rented\.$/,
    hint: /./,
  },
];

async function live({
  session: options = {},
  github = [],
  meanwhile,
  error,
  message,
  hint,
  machines = 0,
}: Story): Promise<void> {
  await using session = await startSession(options);
  session.sim.github.setFaults(github);
  const stage = session.step.startMain();
  if (meanwhile) {
    await until(() => / is loading\.|: starting,/.test(stage.log()), "the wait for the machine");
    meanwhile(session);
  }
  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  const shown = shownError(main.log);
  expect(shown.name).toBe(error);
  expect(shown.message.replace(JOBS_AND_COST, "")).toMatch(message);
  expect(shown.hint).toMatch(hint);
  expect(session.instances()).toHaveLength(machines);
  // Main itself has given back whatever it knew of.
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
}

describe.each([
  ["create instance", CREATE],
  ["what is only asked", READS],
  ["a machine that was rented", BOOTS],
  ["GitHub", GITHUB],
])("%s", (_where, stories) => {
  test.concurrent.for(stories)("$what", live);
});

import type { FleetDeps } from "../fleet/deps.ts";
import type { End } from "../fleet/end.ts";
import { runFleet } from "../fleet/loop.ts";
import { rulesOf } from "../fleet/options.ts";
import { EventLog } from "../fleet/recording/event-log.ts";
import { billingOf, selfEndsOf } from "../fleet/recording/records.ts";
import { offersGone } from "../fleet/renting/failures.ts";
import { emptyFleet, type Fleet } from "../fleet/state.ts";
import { runsOnLine } from "../github/mistyped-label.ts";
import { labelPrefix, serverLetters } from "../machine/label.ts";
import { volumeMachine } from "../offers/volume-place.ts";
import { failedEnd, type LedgerWriter, ledgerWriter } from "../release/ledger.ts";
import { describeForeign, ownInstances } from "../release/own-instances.ts";
import { matcherOf, type Session } from "../release/session.ts";
import { annotateJobs } from "../report/annotations.ts";
import { describeMissed, describeMistyped, errorOf } from "../report/end-error.ts";
import { logMachinesAtEnd } from "../report/machine-table.ts";
import { Outputs } from "../report/outputs.ts";
import { ProgressLog } from "../report/progress-log.ts";
import { sessionFile } from "../report/step-page.ts";
import { jobsMissed } from "../runs/own-run.ts";
import { systemClock } from "../shared/clock.ts";
import { CancelledError, UserError } from "../shared/user-error.ts";
import { checkBeforeRenting, sweepFirst } from "./before-renting.ts";
import { checkOnly } from "./check.ts";
import { type LeftRented, settleFailure } from "./fail-main.ts";
import { RunHistory } from "./history.ts";
import { type AskedImage, askForImage, faultOfImage } from "./image.ts";
import { inputWarnings } from "./inputs/cross-checks.ts";
import { NoSecretsError } from "./inputs/errors.ts";
import { type ActionInputs, checkedInputs, readInputs } from "./inputs/read.ts";
import type { InputValues } from "./inputs/schema.ts";
import { unknownInputs, unknownLine } from "./inputs/unknown.ts";
import { openService, openSession } from "./open-session.ts";
import { actionsLog, failStep, ledgerOrigin, saveState, stepPage } from "./platform.ts";
import { fleetOptions, fleetRequest, volumeOf } from "./request.ts";
import { resolveTemplate } from "./template.ts";

/** What the main step is made of. It is built once, and handed on if main fails. */
interface Main {
  /** In milliseconds since the epoch. */
  startedAt: number;
  given: ActionInputs;
  session: Session;
  ledger: LedgerWriter;
  signal: AbortSignal;
  /** Undefined: nothing can have been rented yet. */
  rented: LeftRented | undefined;
}

/** Runs the main step. If it fails, reports why, destroys what is rented and sees to the jobs that wait. */
export async function runMain(signal: AbortSignal): Promise<void> {
  const startedAt = systemClock.now();
  const given = readInputs();
  const ledger = ledgerWriter(saveState, actionsLog, ledgerOrigin(given.lenient));
  await using clients = openService(given.lenient);
  let main: Main | undefined;
  try {
    const session = openSession(given, clients);
    ledger.session(session.id);
    main = { startedAt, given, session, ledger, signal, rented: undefined };
    await rentAndHold(main);
  } catch (error) {
    const fleet = main?.rented?.fleet;
    const tellsFate = main !== undefined && (await addFate(error, main));
    failStep(error, saysAtEnd(error, fleet));
    // A hosted runner is gone with its files. The output names the file to those who keep it.
    if (main?.rented !== undefined && process.env.RUNNER_ENVIRONMENT !== "github-hosted")
      main.session.log.info(`What was decided, and why: npm run replay -- ${eventsPath(main.session)}`);
    const end = failedEnd(error, { taken: fleet === undefined ? 0 : offersGone(fleet), tellsFate });
    ledger.end(end);
    if (main !== undefined && (await settleFailure(end, main)) === "cancel") ledger.cancelRun();
  }
}

function saysAtEnd(error: unknown, fleet: Fleet | undefined): string {
  return error instanceof CancelledError ? selfEndsOf(fleet) : billingOf(fleet);
}

/**
 * Adds to an error from before the loop's first look at the jobs what becomes of those that wait.
 * Returns true if it did. The loop's own errors say it already. Without secrets the token may not
 * cancel the run, so nothing is added.
 */
async function addFate(error: unknown, { given, rented, session, signal }: Main): Promise<boolean> {
  const isSaid = rented?.fleet.jobs !== undefined || (error instanceof NoSecretsError && given.lenient.apiKey === "");
  if (!(error instanceof UserError) || isSaid || signal.aborted) return false;
  const jobs = await jobsMissed(session, failedEnd(error));
  if (jobs.length === 0) return false;
  error.and(describeMissed(jobs, session.inputs.ifNoMachine));
  return true;
}

/** Runs main's stages: check the inputs, open the fleet, run it until the jobs are over, conclude. */
async function rentAndHold(main: Main): Promise<void> {
  const { given, ledger, session, signal } = main;
  const checked = checkedInputs(given);
  for (const { isWarning, text } of inputWarnings(checked)) session.log[isWarning ? "warning" : "info"](text);
  const unknown = unknownLine(unknownInputs(process.env));
  if (unknown !== undefined) session.log.info(unknown);
  await using history = new RunHistory({ session, ledger, signal, inputs: checked });
  const template = await resolveTemplate(session, checked, signal);
  const { inputs } = template;
  await using image = askForImage(session, inputs, signal);
  if (inputs.check) {
    await checkOnly({ session, inputs, template, signal, page: stepPage, image, history });
    return ledger.end({ kind: "checked" });
  }
  const opened = await openFleet(main, inputs, { image, history });
  const { deps, events, fleet, options, prefix, request } = opened;
  using _told = logMachinesAtEnd(session, fleet);
  const outputs = new Outputs({ ...opened, ...session, sessionId: session.id, page: stepPage });
  const progress = new ProgressLog(deps, request, rulesOf(options, request));
  const end = await runFleet(deps, request, options, fleet, {
    happened: (event, state, rules) => events.happened(event, state, rules),
    looked: (seen, decision, at) => {
      progress.look(seen, decision, at);
      outputs.look(seen);
    },
  });
  if (options.hold) {
    history.learn(fleet, prefix);
    outputs.write(fleet);
  }
  concludeMain(main, { ...opened, failWithJob: inputs.failWithJob }, end);
}

/** What the loop works on, and by what. */
type Opened = Awaited<ReturnType<typeof openFleet>>;

interface AskedBeside {
  image: AskedImage;
  history: RunHistory;
}

/** Checks keys and tokens, destroys leftovers and writes down the label. Machines may be rented after that. */
async function openFleet(main: Main, inputs: Readonly<InputValues>, asking: AskedBeside) {
  const { history, image } = asking;
  const { ledger, session, signal } = main;
  const { run, runnerNamePrefix } = session;
  const checked = await checkBeforeRenting(session, inputs.minCredit, signal);
  const aliveOf = await sweepFirst(session, { ...checked, signal });
  const rented = await beginRenting(main, aliveOf(checked.instances).length);
  const { credit } = checked;
  const context = { startedAt: main.startedAt, runnerLabel: run.runnerLabel, maxCost: inputs.maxCost, credit };
  ledger.context(context);
  const machine = await volumeMachine({ ...session, signal }, volumeOf(inputs));
  const asked = await image.answer();
  // A missing one may be built by then: the loop asks again.
  const fault = asked.kind === "refused" ? faultOfImage(inputs, asked) : undefined;
  if (fault !== undefined) session.log.warning(`${fault.says} ${fault.hint}`);
  const request = fleetRequest(inputs, run, {
    ...rented,
    ...checked,
    runnerNamePrefix,
    imageBytes: asked.kind === "found" ? asked.bytes : undefined,
    machine,
    month: await history.month(inputs.maxCost30d),
  });
  // Nobody waits for it here: jobs are looked at meanwhile.
  void history.describe(request.image).then((line) => session.log.info(line));
  const events = new EventLog(eventsPath(session), session.log);
  stepPage.setOutput("events", eventsPath(session));
  return {
    ...rented,
    deps: depsOf(main, asking, aliveOf),
    request,
    options: fleetOptions(inputs, run, asked.kind === "missing"),
    events,
    context,
  };
}

function depsOf(
  { ledger, session, signal }: Main,
  { history, image }: AskedBeside,
  aliveOfRepository: FleetDeps["aliveOfRepository"],
): FleetDeps {
  const { jobs, logs, registrations } = session;
  return {
    ...session,
    aliveOfRepository,
    history: history.known,
    runners: registrations,
    ledger,
    signal,
    listJobs: (stop) => jobs.listOrUndefined(stop),
    lookAtJob: (id, stop) => jobs.lookAt(id, stop),
    readJobLog: (id, stop) => logs.tail(id, stop),
    async lookUpImage(stop) {
      const asked = await image.again(stop);
      return asked.kind === "missing" ? asked.word : undefined;
    },
    whose: matcherOf(session),
    requestsLeft: () => jobs.requestsLeft,
    requestsCounted: () => jobs.requestsCounted,
  };
}

function eventsPath({ id }: Session): string {
  return sessionFile(stepPage, id, "-events.jsonl");
}

/** Writes down the prefix of every label before anything is rented, so that post can find all of it. */
async function beginRenting(main: Main, repositoryAlive: number): Promise<LeftRented> {
  const { ledger, session, signal } = main;
  const { clock, id: sessionId, log, run } = session;
  const repositoryId = await session.repositoryId(signal);
  const prefix = labelPrefix({ ...run, server: serverLetters(run.serverUrl), repositoryId, sessionId });
  ledger.prefix(prefix);
  log.info(`Everything that this session rents is labelled ${prefix}.…`);
  const now = clock.now();
  const onForeign = (id: number, machineNo: number | undefined) => {
    log.warning(describeForeign(id));
    if (machineNo !== undefined) ledger.created(machineNo, id, true);
  };
  main.session = { ...session, service: ownInstances(session.service, { prefix, onForeign }) };
  const fleet = emptyFleet(now, { instancesAt: now, repositoryAlive, aheadMs: session.service.aheadMs });
  main.rented = { prefix, fleet, isDestroyed: false };
  return main.rented;
}

const NONE_CAME =
  "No job in this run asks for the GPU runner, so nothing more is rented. One job was skipped. It may be the GPU job: GitHub shows no labels of a skipped job.";

/** Turns the loop's end into main's: writes it down for post, or throws the error by which main fails. */
function concludeMain({ ledger, session }: Main, opened: Opened & { failWithJob: boolean }, end: End): void {
  const { clock, inputs, log, run } = session;
  const { fleet } = opened;
  const { runnerLabel } = run;
  const error = errorOf(end, { ...opened, runnerLabel, ifNoMachine: inputs.ifNoMachine, now: clock.now() });
  const left = end.kind === "over" ? (fleet.jobs?.mistyped ?? []) : [];
  if (left.length > 0)
    log.warning(`${describeMistyped(left, runnerLabel)} Cancel the run. Paste: \`${runsOnLine(runnerLabel)}\`.`);
  annotateJobs(stepPage, fleet, error);
  if (error !== undefined) throw error;
  if (end.kind === "none-came") {
    ledger.end({ kind: "no-job", message: NONE_CAME });
    log.warning(NONE_CAME);
  } else if (end.kind === "ready") {
    ledger.end({ kind: "ready" });
  } else {
    ledger.end({ kind: "over", taken: offersGone(fleet) });
    log.info(overLine(end.kind === "over" ? end.bad.length : 0, fleet.jobs?.ours.length ?? 1));
  }
}

function overLine(bad: number, jobs: number): string {
  if (bad > 0) return `${bad} did not succeed. With fail-with-job: false this job goes on.`;
  return jobs === 1 ? "The GPU job is over." : `The ${jobs} GPU jobs are over.`;
}

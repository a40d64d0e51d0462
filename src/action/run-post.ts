import { runUrl } from "../github/github.ts";
import { describeRented, type Keeping, keepAfterCancel } from "../release/after-cancel.ts";
import { DESTROY_WITHIN_MS } from "../release/destroy.ts";
import { destroySession, remainsOf, removeRunners, type SessionDestroyed } from "../release/destroy-session.ts";
import { InstanceNotDestroyedError } from "../release/errors.ts";
import { type Ledger, readLedger } from "../release/ledger.ts";
import { describeForeign, ownInstances } from "../release/own-instances.ts";
import type { Session } from "../release/session.ts";
import { costOf, sessionReport } from "../report/session-report.ts";
import { reportSession } from "../report/summary.ts";
import { leaveRun, seenJobs } from "../runs/own-run.ts";
import { systemClock } from "../shared/clock.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { capitalized } from "../shared/text.ts";
import { tellNextRun } from "./history.ts";
import { type ActionInputs, checkServiceInputs, readInputs } from "./inputs/read.ts";
import { openService, openSession, type ServiceClients } from "./open-session.ts";
import { actionsLog, ledgerOrigin, savedState, stepPage } from "./platform.ts";

const END_WITHIN_MS = 250_000;

const NOTHING_WAS_RENTED: SessionDestroyed = { destroyed: [], undestroyed: [], goneAt: new Map(), shown: [] };

/** Runs post's stages: destroy all of this session, remove its runners, report, see that no job waits in vain. */
export async function runPost(signal: AbortSignal): Promise<void> {
  const start = systemClock.now();
  const given = readInputs();
  const ledger = readLedger(savedState(), ledgerOrigin(given.lenient));
  tellForged(ledger);
  await using clients = openService(given.lenient, start + DESTROY_WITHIN_MS.post);
  const until = start + END_WITHIN_MS;
  const { fault, session } = tryToOpen(() => openSession(given, clients, { id: ledger.sessionId, until }));
  const post = { start, until, clients, given, ledger, signal };
  // Only after a cancel, because main has not seen to its jobs.
  const isCancelled = session?.inputs.jobStatus === "cancelled";
  const keeping = isCancelled ? keepAfterCancel(session, ledger.reports, start) : undefined;
  const used = await destroyWhatIsLeft(post, keeping);
  try {
    if (session === undefined) throw fault;
    await conclude(post, session, used, keeping?.leftForJobs() ?? []);
  } finally {
    // Whatever else went wrong, the one thing to say is that something may still bill.
    if (used.undestroyed.length > 0) throwNotDestroyed(used.undestroyed);
  }
}

function tellForged({ forged }: Ledger): void {
  if (forged.length === 0) return;
  const names = oneLine(forged.join(", "));
  actionsLog.warning(
    `Post's notes hold entries that main did not write: ${names}. A later step of this job, or an action in it, added them. They are not used: a machine is ours only by its label. Let the job that rents have this one step only.`,
  );
}

/** Opens the session. Returns a fault, such as a missing variable, because it must not keep post from destroying. */
function tryToOpen(open: () => Session): { session?: Session; fault?: unknown } {
  try {
    return { session: open() };
  } catch (fault) {
    return { fault };
  }
}

interface Post {
  /** When it began, and when all must be over. Milliseconds since the epoch. */
  start: number;
  until: number;
  clients: ServiceClients;
  given: ActionInputs;
  ledger: Ledger;
  /** Aborts when the platform tells post to stop. It goes on. */
  signal: AbortSignal;
}

async function destroyWhatIsLeft(post: Post, keeping: Keeping | undefined): Promise<SessionDestroyed> {
  const { given, ledger, clients, signal, start } = post;
  const remains = remainsOf(ledger);
  if (remains === undefined) return NOTHING_WAS_RENTED;
  checkServiceInputs(given, remains.prefix);
  if (keeping !== undefined) clients.log.info(describeRented(remains));
  // The platform may kill post ten seconds later.
  const tell = () => stepPage.annotate("error", "The post step is told to stop", describeRented(remains));
  signal.addEventListener("abort", tell);
  if (signal.aborted) tell();
  const { claimed } = ledger;
  const onForeign = (id: number) => clients.log.warning(describeForeign(id));
  const service = ownInstances(clients.service, { prefix: remains.prefix, claimed, onForeign });
  const destroying = { ...clients, service, until: start + DESTROY_WITHIN_MS.post };
  const used = await clients.log.stage("Destroy the machine", () =>
    destroySession(destroying, remains, keeping?.mayGo),
  );
  if (used.undestroyed.length === 0) signal.removeEventListener("abort", tell);
  return used;
}

/** Does what follows the destruction: removes runners, reports, and sees to the jobs that wait. */
async function conclude(
  post: Post,
  session: Session,
  used: SessionDestroyed,
  leftForJobs: readonly number[],
): Promise<void> {
  const { ledger, start, until } = post;
  const { inputs, log } = session;
  if (ledger.prefix !== undefined)
    await log.stage("Remove runner registrations", () => removeRunners(session, ledger, until));
  // While something may still bill, that comes before the run's end.
  const mayLeave = used.undestroyed.length === 0 && inputs.knowsLabel;
  const leaving = { session, ledger, destroyed: used.destroyed, start, until };
  const jobs = mayLeave ? await seenJobs(leaving) : undefined;
  const around = { jobs, jobStatus: inputs.jobStatus, leftForJobs, runUrl: runUrl(session.run, session.run.runId) };
  const isChecked = ledger.end?.kind === "checked";
  const none = { isCutOff: false, notes: [] };
  const report = isChecked ? none : await reportSession({ ...session, page: stepPage }, ledger, used, around);
  const { isCutOff, notes } = report;
  try {
    // Before the cancel of the run, which may end post.
    await tellNext(post, session, used);
    const left = mayLeave ? await leaveRun(leaving, jobs) : undefined;
    if (left !== undefined) notes.push(left);
  } finally {
    // One annotation holds all notes.
    const text = notes.join(" ");
    if (isCutOff) stepPage.annotate("error", "The main step was cut off", text);
    else if (notes.length > 0) log.warning(text);
  }
}

/** Prints what the next run is to know, behind all that people read. */
async function tellNext({ given, ledger }: Post, session: Session, used: SessionDestroyed): Promise<void> {
  const now = session.clock.now();
  const { jobStatus } = session.inputs;
  const cost = costOf(sessionReport(ledger, used, { jobs: undefined, jobStatus }, now));
  const { known, prefix = "" } = ledger;
  await tellNextRun(session, given.lenient, { cost, known, now, prefix });
}

function throwNotDestroyed(undestroyed: readonly string[]): never {
  const what = undestroyed.join(", ");
  const reason = "the service refused, or post ran out of time";
  throw new InstanceNotDestroyedError(capitalized(what), reason);
}

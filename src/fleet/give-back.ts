import { destroyInstance } from "../create/destroy.ts";
import { InstanceNotDestroyedError } from "../create/errors.ts";
import { secretHider, showLastLines } from "../create/last-lines.ts";
import type { MachineRecord } from "../create/machine-record.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Acting, Change } from "./acts.ts";
import type { Fleet } from "./state/fleet.ts";
import type { Machine, Use } from "./state/machine.ts";
import { currentUse, mayHaveRun } from "./state/stage.ts";

/** GitHub gave no answer, or the service would not destroy: asked again then. */
const ASK_AGAIN_MS = 15_000;
/** How long a destruction may take before the loop hears of it. */
const DESTROY_WITHIN_MS = 90_000;

/**
 * Takes a machine's runners away, those that wait for their turn first; then destroys it. A machine
 * whose runner has a job is kept.
 */
export async function giveUp(acting: Acting, machine: Readonly<Machine>): Promise<Change> {
  return (await takeRunners(acting, machine, [])) ?? (await destroy(acting, machine));
}

/** Takes its runners away like that, and lets it be. */
export async function retire(acting: Acting, machine: Readonly<Machine>): Promise<Change> {
  const removed: number[] = [];
  const change = await takeRunners(acting, machine, removed);
  const now = acting.deps.clock.now();
  return change ?? ((fleet) => void withoutRunners(fleet, machine.n, removed, now));
}

/** The change that a runner makes which stays; undefined: none stays. */
async function takeRunners(acting: Acting, machine: Readonly<Machine>, removed: number[]): Promise<Change | undefined> {
  const current = currentUse(machine);
  const waiting = machine.uses.filter((use) => use.spentAt === undefined && use !== current);
  for (const use of [...waiting, ...(current ? [current] : [])]) {
    const change = await withoutRunner(acting, machine, use, removed);
    if (change !== undefined) return change;
  }
  return undefined;
}

/** Undefined: it is nobody's any more, or nobody can have it. */
async function withoutRunner(
  acting: Acting,
  machine: Readonly<Machine>,
  use: Use,
  removed: number[],
): Promise<Change | undefined> {
  const { askAgainAt, n } = machine;
  const answer = await acting.deps.runners.remove(use.runnerId, acting.deps.signal);
  if (answer === "busy") return kept(acting, n, use, removed);
  if (answer === "removed") removed.push(use.runnerId);
  // One that was not seen running may have begun to since the last list: it is looked at once more.
  const mayRun = mayHaveRun(machine) || askAgainAt === undefined;
  return answer === "unknown" && mayRun ? askAgain(acting, n, removed) : undefined;
}

/** Destroys a machine and sees that it is gone; its last lines are shown first if it failed. */
export async function destroy({ deps, hiders }: Acting, machine: Readonly<Machine>): Promise<Change> {
  const { clock, ledger, log, signal } = deps;
  const { ending, instanceId, n, createdAt, report } = machine;
  if (instanceId === undefined) return () => {};
  const hide = hiders.get(n) ?? secretHider({});
  if (ending?.kind === "failed" || ending?.kind === "dropped")
    await showLastLines(deps, { instanceId, hideSecrets: hide });
  try {
    const how = await destroyInstance(
      { ...deps, signal, until: clock.now() + DESTROY_WITHIN_MS },
      { id: instanceId, createdAt },
    );
    const goneAt = clock.now();
    // Of one that was lost, or had failed, nobody knows who ended it.
    const byItself = ending?.kind === "over" ? "had given itself back" : "was gone already";
    log.info(`machine ${n}: gone. Instance ${instanceId} ${how === "destroyed" ? "is destroyed" : byItself}.`);
    return (fleet) => {
      const later = fleet.machines.find((each) => each.n === n);
      if (later === undefined) return;
      noteGone(later, how, goneAt, hide);
      if (report !== undefined && later.report !== undefined) ledger.report(n, later.report);
    };
  } catch (error) {
    if (!(error instanceof InstanceNotDestroyedError)) throw error;
    const again = askAgain({ deps }, n, []);
    log.warning(`machine ${n}: ${error.message}`);
    return (fleet) => {
      again(fleet);
      const later = fleet.machines.find((each) => each.n === n);
      if (later !== undefined) later.fault = error;
    };
  }
}

export function noteGone(
  machine: Machine,
  how: "destroyed" | "was-gone",
  goneAt: number,
  hide: (text: string) => string,
): void {
  machine.act = undefined;
  machine.goneAt = goneAt;
  if (machine.report === undefined) return;
  machine.report.isGone = true;
  // One that had gone by itself went when that was seen.
  machine.report.at.gone = (how === "was-gone" ? machine.report.at.gone : undefined) ?? goneAt;
  machine.report.last = lastOf(machine, machine.report, how, hide);
}

function lastOf({ ending }: Machine, { last }: MachineRecord, how: string, hide: (text: string) => string): string {
  if (ending === undefined || ending.kind === "over") return how === "was-gone" ? "gave itself back" : last;
  return oneLine(hide(ending.why));
}

/** A job came: it stays, with the uses that are left. */
export function kept({ deps }: Acting, n: number, busy: Use, removed: readonly number[]): Change {
  deps.log.info(`machine ${n}: kept, a job runs on it.`);
  const now = deps.clock.now();
  return (fleet) => {
    const machine = withoutRunners(fleet, n, removed, now);
    if (machine === undefined) return;
    machine.ending = undefined;
    // It is no spare, though the list of jobs may show so late.
    if (machine.report !== undefined) machine.report.isUnneeded = undefined;
    machine.readyAt ??= now;
    const use = machine.uses.find(({ runnerId }) => runnerId === busy.runnerId);
    if (use === undefined) return;
    use.runner = "busy";
    use.onlineAt ??= now;
  };
}

/**
 * A doubt is never evidence: while GitHub can't be asked, a container that ran may have a job, and
 * stays until its deadline.
 */
export function askAgain({ deps }: Pick<Acting, "deps">, n: number, removed: readonly number[]): Change {
  const now = deps.clock.now();
  return (fleet) => {
    const machine = withoutRunners(fleet, n, removed, now);
    if (machine !== undefined) machine.askAgainAt = now + ASK_AGAIN_MS;
  };
}

function withoutRunners(fleet: Fleet, n: number, removed: readonly number[], now: number): Machine | undefined {
  const machine = fleet.machines.find((each) => each.n === n);
  if (machine === undefined) return undefined;
  machine.act = undefined;
  for (const use of machine.uses) if (removed.includes(use.runnerId)) use.spentAt ??= now;
  return machine;
}

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningStage } from "../../simulator/actions/stage.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { readLabel } from "../../src/machine/label.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, until } from "./simulated-session.ts";

type Job = ReturnType<typeof gpuJob>;

/** Offers that differ in their price alone, the cheapest first: 11, 12, … */
export function plainOffers(count: number): { id: number; dph_base: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: 11 + index, dph_base: (30 + index) / 100 }));
}

/** The names of so many jobs of the matrix. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `test (${index + 1})`);
}

/** The job that rents, and so many GPU jobs of one matrix. */
export function matrixOf(count: number, run?: string[]): Job[] {
  return [RENT_JOB, ...namesOf(count).map((name) => ({ ...gpuJob(run), name, matrix: "test" }))];
}

/** Jobs that wait at it go on when it is opened. */
export class Gate implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "gate-"));
  readonly #file = join(this.#folder, "open");

  /** The lines of a job that waits here; when it is gone, too. */
  get wait(): string[] {
    return [`while [ -d ${this.#folder} ] && [ ! -e ${this.#file} ]; do sleep 2; done`];
  }

  open(): void {
    writeFileSync(this.#file, "");
  }

  [Symbol.dispose](): void {
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true });
  }
}

/** Resolves when all of these jobs run at the same time. */
export async function untilRunning({ run }: SimulatedSession, names: readonly string[]): Promise<void> {
  const isRunning = () => names.every((name) => run.job(name).status === "in_progress");
  await until(isRunning, `${names.join(", ")} to run`);
}

/** Resolves when main says that each of these jobs is on a machine; rejects if it ends before. */
export async function untilBusy(stage: RunningStage, names: readonly string[]): Promise<void> {
  const isBusy = () => names.every((name) => stage.log().includes(`busy with '${name}'`));
  const hasEnded = stage.done.then(({ log }) => Promise.reject(new Error(`Main ended early:\n${log}`)));
  const said = until(isBusy, `${names.join(", ")} on a machine`).catch((error: Error) => {
    throw new Error(`${error.message}\n${stage.log()}`);
  });
  await Promise.race([said, hasEnded]);
  hasEnded.catch(() => {});
}

/** How these jobs ended. */
export function conclusions(session: SimulatedSession, names: readonly string[]): unknown[] {
  return names.map((name) => session.run.job(name).conclusion);
}

/**
 * The most machines alive at once. Where the jobs are named, without those that are over, as
 * `machines` does not count them: one gives itself back while the next is rented.
 */
export function mostAlive(session: SimulatedSession, names: readonly string[] = []): number {
  const jobs = names.map((name) => session.run.job(name));
  const lives = session.instances().map((each) => {
    const job = jobs.find(({ runnerName }) => runnerName?.endsWith(`-${readLabel(each.label ?? "")?.machineNo}`));
    const ends = [destruction(each)?.at, job?.completedAt].flatMap((at) => at ?? []);
    return { from: each.createdAt, to: Math.min(...ends) };
  });
  return Math.max(...lives.map(({ from }) => lives.filter((each) => each.from <= from && from < each.to).length));
}

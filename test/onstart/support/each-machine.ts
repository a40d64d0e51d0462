import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { BOTH_WAYS, type Image } from "./image.ts";
import { RAN_JOB } from "./listener.ts";
import { type TestMachine, testMachine } from "./test-machine.ts";

type Text = string | RegExp;

/** A machine, and what it must have done in its life. */
export interface Life extends Image {
  /** Lines of bash of its runner, which takes a job by default. */
  runner?: string;
  /** It is lived as BOTH_WAYS says. */
  inBothWays?: true;
  /** A program of this computer without which nothing can be told. */
  needs?: string;
  /** What is changed in it before its first start. */
  changesBefore?: (machine: TestMachine) => unknown;
  /** Its container is restarted once its log or its calls show this. */
  restartAt?: string;
  /** The machine may be given back, and all on it be killed, before its start ends. By default that ends well. */
  mayCutStart?: true;
  /** What changes before it starts again. */
  changes?: (machine: TestMachine) => unknown;
  /** Its log or its calls show this at the end; by default it is given back. */
  until?: string;
  /** What happens then, before it is given back. */
  afterwards?: (machine: TestMachine) => unknown;
  /** By the words that they start with: all such calls, in order. By default it ran one job. */
  calls?: Readonly<Record<string, readonly unknown[]>>;
  says?: Text | readonly Text[];
  neverSays?: Text;
  /** What else must hold. */
  check?: (machine: TestMachine) => void;
}

/** Tells the life of each of these machines, by what it shows: a test for each. */
export function eachMachine(lives: Readonly<Record<string, Life>>): void {
  for (const [name, { inBothWays, needs, ...life }] of Object.entries(lives)) {
    const tests = test.skipIf(needs !== undefined && !existsSync(needs)).concurrent;
    if (inBothWays)
      for (const { sigint, way } of BOTH_WAYS) tests(`${name}: SIGINT ${sigint}`, () => tell({ ...life, ...way }));
    else tests(name, () => tell(life));
  }
}

async function tell(life: Life): Promise<void> {
  await using machine = await testMachine(life, life.runner);
  await live(machine, life);
  const { calls = { job: RAN_JOB }, says = [], neverSays, check } = life;
  for (const [words, all] of Object.entries(calls)) expect(machine.calls.only(...words.split(" "))).toEqual(all);
  for (const text of [says].flat()) expect(machine.read("log")).toMatch(text);
  if (neverSays !== undefined) expect(machine.read("log")).not.toMatch(neverSays);
  check?.(machine);
}

async function live(machine: TestMachine, life: Life): Promise<void> {
  const { changesBefore, restartAt, changes, mayCutStart, until, afterwards } = life;
  const shown = (text: string) => machine.until(() => (machine.read("log") + machine.read("calls.log")).includes(text));
  await changesBefore?.(machine);
  if (restartAt !== undefined) {
    expect(await machine.start()).toBe(0);
    await shown(restartAt);
    await machine.stop();
    await changes?.(machine);
  }
  const code = await machine.start();
  if (!mayCutStart) expect(code).toBe(0);
  if (until !== undefined) await shown(until);
  await afterwards?.(machine);
  if (until === undefined || afterwards !== undefined) await machine.untilGone();
}

import { beforeEach } from "vitest";
import { FakeGithub } from "./fake-github.ts";
import { HandWoundClock } from "./hand-wound-clock.ts";
import { RecordedLog } from "./recorded-log.ts";
import { StandInMarket } from "./stand-in-market.ts";

// What the running test has, in a file that calls `freshWorld`.
export let clock: HandWoundClock;
export let github: FakeGithub;
export let log: RecordedLog;
export let service: StandInMarket;

/** Gives each test of a file a clock, a log, a service and a GitHub of its own. */
export function freshWorld(): void {
  beforeEach(() => {
    clock = new HandWoundClock();
    github = new FakeGithub();
    log = new RecordedLog();
    service = new StandInMarket(clock);
  });
}

import type { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import { driveMain } from "./drive.ts";
import { Faults } from "./fault.ts";
import { GithubInWorld } from "./github.ts";
import { MarketInWorld } from "./market.ts";
import { type Outside, Written } from "./outside.ts";
import type { Story } from "./story.ts";
import { World } from "./world.ts";

/** Another run of the repository, in the same account: its own jobs, its own main. Nothing goes wrong there, and nobody judges it. */
export class OtherRun {
  readonly world: World;
  readonly prefix: string;
  readonly #clock: HandWoundClock;
  readonly #story: Story;

  constructor(story: Story, clock: HandWoundClock, nth: number, account: World[]) {
    this.#story = { ...story, faults: [], death: undefined, clockJump: undefined, unwritable: undefined };
    this.#clock = clock;
    this.prefix = `ghr1.1.${100 + nth}-1.others`;
    this.world = new World(this.#story, account);
  }

  /** Its main begins. `prefixes`: of the repository's labels. */
  start(prefixes: readonly string[], signal: AbortSignal): void {
    const { start } = this.#clock;
    const market = new MarketInWorld(this.world, this.#clock, new Faults([]), () => {});
    const github = new GithubInWorld(this.world, start, new Faults([]), () => {});
    const asked = async <T>(ask: () => T | Promise<T>) => {
      this.world.advance(this.#clock.elapsed);
      return await ask();
    };
    const outside: Outside = {
      ...{ clock: this.#clock, signal, prefix: this.prefix, prefixes, jobStatus: "success" },
      log: { info() {}, warning() {}, stage: (_title, work) => work() },
      askService: (outgoing) => asked(() => market.serve(outgoing)),
      askGithub: (asks) => asked(() => github.serve(asks)),
      remember() {},
      writes: new Written(() => true),
    };
    void driveMain(outside, this.#story);
  }
}

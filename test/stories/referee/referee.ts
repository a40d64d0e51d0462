import { latestEnd } from "../story.ts";
import { isUp, type RunnerInWorld } from "../things.ts";
import type { World } from "../world.ts";
import { BillRules } from "./bills.ts";
import { EndRules } from "./end.ts";
import { Eye, idsOf, LOOK_MS, MINUTE_MS, Rules } from "./eye.ts";
import { PostRules } from "./post.ts";
import type { Driven, Ended, Happened, Happening, Machine, RunRecord } from "./record.ts";
import type { Broken } from "./rule.ts";
import { jobOn, twinsOf } from "./truth.ts";
import { WordRules } from "./words.ts";

/** What is heard of one kind. */
type Heard<What extends Happening["what"]> = Extract<Happening, { what: What }>;

/** GitHub locks out who asks for more in a minute. */
const MOST_ASKED = 300;
/** Who is refused so often within twenty minutes asks on and on. */
const MOST_IN_VAIN = 40;
const IN_VAIN_WITHIN_MS = 1_200_000;
/** When nothing is left to do main may wait so much longer than `wait-for-job`. */
const LINGERS_MS = 360_000;

/** Judges a run that is over. */
export function judge({ happened, timeline, ...driven }: RunRecord): readonly Broken[] {
  const referee = new Referee(happened, driven);
  for (const { at, ...happening } of timeline) {
    happened.now = at;
    referee.hears(happening);
  }
  referee.isOver();
  return referee.eye.broken;
}

/** Hears what happens, sees what is true then, and says what must not be. */
export class Referee extends Rules {
  readonly #bills = new BillRules(this.eye);
  readonly #end = new EndRules(this.eye);
  readonly #post = new PostRules(this.eye);
  readonly #words = new WordRules(this.eye);
  readonly #inVain = new Map<RunnerInWorld, number[]>();
  /** When each request came to GitHub, in milliseconds. */
  readonly #asked: number[] = [];
  #isRunOver = false;
  readonly #bound = latestEnd(this.eye.record.story);
  #main: Ended | undefined;

  constructor(record: Happened, driven: Driven) {
    super(new Eye(record, driven));
  }

  readonly #heard: { [What in Happening["what"]]: (happening: Heard<What>) => void } = {
    begins: (happening) => this.#begins(happening),
    ends: (happening) => this.#ends(happening),
    asks: () => this.#look(),
    "asks GitHub": () => void this.#asked.push(this.eye.now),
    creates: (happening) => this.#bills.creates(happening),
    created: () => this.#bills.created(),
    destroys: (happening) => this.#destroys(happening),
    "destroys another's": (happening) => this.#destroysOther(happening),
    "removes in vain": ({ runner }) => this.#removesInVain(runner),
    "outlives its label": ({ machine }) =>
      this.eye.say("nothing bills after its deadline", `${idsOf([machine])} is there after the time on its label`),
  };

  /** One thing after the other, each before it is carried out. */
  hears(happening: Happening): void {
    (this.#heard[happening.what] as (heard: Happening) => void)(happening);
  }

  /** What can only be said when nothing comes any more. */
  isOver(): void {
    this.#bills.checkBill();
    for (const breach of this.eye.driven.breaches ?? []) this.eye.say("what no session may ever do", breach);
  }

  #begins({ isRunOver = false, phase }: Heard<"begins">): void {
    this.#isRunOver = isRunOver;
    if (phase !== "main") this.eye.mainIsOver();
    this.eye.phase = phase;
    this.eye.phaseSince = this.eye.now;
  }

  #ends(ended: Ended): void {
    const { isGreen, stage } = ended;
    this.#words.ended(ended);
    if (stage === "sweep") return this.#post.swept(ended);
    if (stage === "post") return isGreen === undefined ? undefined : this.#post.ended(ended, this.#main);
    this.#main = ended;
    this.eye.mainIsOver();
    if (isGreen !== undefined) this.#end.ended(ended);
  }

  /** At each request, before it is carried out. */
  #look(): void {
    const nth = this.#asked.at(-MOST_ASKED - 1);
    if (nth !== undefined && this.eye.now - nth < MINUTE_MS)
      this.eye.say("GitHub is not asked too often", `more than ${MOST_ASKED} requests in a minute`);
    this.#bills.look();
    if (this.eye.phase === "main" && this.world !== undefined) this.#checkLinger(this.world);
  }

  #destroysOther({ id, isLeft }: Heard<"destroys another's">): void {
    if (this.eye.phase === "sweep" && isLeft) return;
    this.eye.say("only what is ours is destroyed", `instance ${id} is somebody else's`);
  }

  #destroys({ by, machine }: Heard<"destroys">): void {
    this.#post.destroys(machine);
    const { driven, now, phase } = this.eye;
    const isMain = phase === "main" || phase === "failing";
    const isAllowed = by === "us" && (phase === "sweep" ? this.#isRunOver : !isMain);
    if (isAllowed || now >= machine.deadline - driven.blurMs) return;
    const job = jobOn(this.eye.record, machine, driven.blurMs);
    if (job !== undefined)
      this.eye.say("a running job keeps its machine", `'${job.name}' runs on ${idsOf([machine])}, ended by ${by}`);
    // A job that began since main's last look nobody can know of.
    const isSeen = (each: Machine) => (jobOn(this.eye.record, each, driven.blurMs)?.startedAt ?? now) <= now - LOOK_MS;
    const twin = twinsOf(this.eye.record, machine).find(isSeen);
    if (job === undefined && twin !== undefined && isUp(machine, now))
      this.eye.say("machines of one create are not ended under its job", `${idsOf([machine])}: its twin has a job`);
  }

  #removesInVain(runner: RunnerInWorld): void {
    const { now } = this.eye;
    const times = (this.#inVain.get(runner) ?? []).filter((at) => now - at < IN_VAIN_WITHIN_MS);
    this.#inVain.set(runner, [...times, now]);
    if (times.length >= MOST_IN_VAIN)
      this.eye.say("GitHub is not asked too often", `it has said ${MOST_IN_VAIN} times that ${runner.id} is busy`);
  }

  /** Main ends, at the latest when nothing has been left to do for a while. */
  #checkLinger({ jobs, now, story }: World): void {
    if (now > this.#bound) this.eye.say("every story ends, and no fault is a bug", "it goes on and on");
    const came = jobs.filter(({ box, overAt }) => box !== undefined && overAt <= now).length;
    // Those that run elsewhere may bring further ones.
    const isEnough = came >= (story.jobs === "auto" ? 1 : story.jobs);
    const isLeft = jobs.some(({ appearedAt, box, overAt, startedAt }) => {
      const isToCome = Number.isFinite(appearedAt) && overAt > now;
      return isToCome && !(isEnough && startedAt <= now && box === undefined);
    });
    const isOpen = isLeft || story.othersUntilS * 1000 > now;
    const isExcused = this.eye.isBlind(2 * MINUTE_MS) || this.eye.met(["destroy", "remove"], 2 * MINUTE_MS);
    const mostMs = LINGERS_MS + (story.waitForJobS + story.idleS + story.keepFailedS + story.jobsLagS) * 1000;
    if (this.eye.lasting("nothing left", story.hold && !isOpen && !isExcused) > mostMs)
      this.eye.say("every story ends, and no fault is a bug", "nothing is left to do, and main goes on");
  }
}

import { FALSE } from "../fault.ts";
import { idsOf, MINUTE_MS, Rules } from "./eye.ts";
import type { Ended, Machine } from "./record.ts";

/** Above the 4 min 15 s that post has, for the start of its process in scaled time. */
const POST_WITHIN_MS = 290_000;
/** What others did is no fault of post. */
const OF_OTHERS = /title=The (main step was cut off|post step is told to stop)::/;

/** What a process said, and how it ended. */
export class WordRules extends Rules {
  ended({ process, stage }: Ended): void {
    if (process === undefined) return;
    const { exitCode, isStopped, log, overran, tookMs, wasKilled } = process;
    const ends = (text: string) => this.eye.say("every story ends, and no fault is a bug", text, overran);
    if (overran) return ends(`${stage} did not end`);
    if (wasKilled) return;
    if (exitCode !== 0 && exitCode !== 1) ends(`${stage} ended with code ${exitCode}`);
    const errors = log.split("\n").filter((line) => line.startsWith("::error"));
    this.#checkBill(stage === "main" ? errors.join("\n") : log, stage);
    const [itsOwn] = errors.filter((line) => !OF_OTHERS.test(line));
    const isUnlike = (text: string) => this.eye.say("colour and message agree", `${stage} is ${text}`);
    if (exitCode === 0 && itsOwn !== undefined) isUnlike(`green, and says: ${itsOwn}`);
    if (exitCode === 1 && itsOwn === undefined && !isStopped) isUnlike("red, and does not say why");
    if (stage === "post" && tookMs > POST_WITHIN_MS)
      this.eye.say("post ends in time", `it took ${Math.round(tookMs / 1000)} s`, true);
  }

  #checkBill(said: string, stage: Ended["stage"]): void {
    const { boxes, now } = this.eye.record;
    const isFalse = (text: string, those: readonly Machine[]) => {
      if (those.length > 0) this.eye.say("no word of the bill is false", `${stage} says that ${text} ${idsOf(those)}`);
    };
    const were = boxes.filter(({ createdAt }) => createdAt <= now);
    const known = were.filter((box) => box.goneAt > now && this.eye.driven.isKnown(box));
    // Where a create was refused and carried out all the same, the list alone could show that.
    const isHidden = stage === "main" && this.eye.met(["list"], 2 * MINUTE_MS, FALSE);
    if (stage !== "sweep" && !isHidden && said.includes("Nothing was rented."))
      isFalse("nothing was rented, and there was", were);
    if (said.includes("Nothing is rented any more.")) isFalse("nothing is rented any more, and there is", known);
  }
}

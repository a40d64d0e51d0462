import { z } from "zod";

/** What a listener asks of the server, by its path under `/_runner`. */
const REQUESTS = {
  session: { method: "POST", path: /^\/_runner\/session$/ },
  message: { method: "GET", path: /\/message$/ },
  acquire: { method: "POST", path: /\/begin$/ },
  complete: { method: "POST", path: /\/finish$/ },
} as const;

/** A status that listeners get instead of what they asked for. */
export const RunnerAnswer = z.strictObject({
  request: z.enum(["session", "message", "acquire", "complete"]),
  status: z.int().min(400).max(599),
  /** How many such requests in a row are answered so (default: all). */
  times: z.int().positive().optional(),
  /** The server forgets the runner, too (default: nothing else happens). */
  drops: z.boolean().optional(),
  /** The runner's job is given to no other any more, as one whose worker hung (actions/runner#4598). */
  binds: z.boolean().optional(),
});

/** One such answer, as tests and scripts write it. */
export type RunnerAnswer = z.infer<typeof RunnerAnswer>;

/** What GitHub has against its runners: which of their requests are answered by a bare status. */
export class RunnerAnswers {
  #answers: (RunnerAnswer & { left: number })[] = [];

  /** Replaces all answers; throws when one is wrong. */
  set(answers: readonly RunnerAnswer[]): void {
    this.#answers = z
      .array(RunnerAnswer)
      .parse(answers)
      .map((answer) => ({ ...answer, left: answer.times ?? Number.POSITIVE_INFINITY }));
  }

  /** The answer to one request of a listener, which counts; undefined: as usual. */
  take(method: string | undefined, path: string): RunnerAnswer | undefined {
    const found = this.#answers.find(({ request, left }) => {
      const { method: wanted, path: pattern } = REQUESTS[request];
      return left > 0 && wanted === method && pattern.test(path);
    });
    if (found) found.left -= 1;
    return found;
  }
}

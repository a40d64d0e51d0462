import { UserError } from "../shared/user-error.ts";
import { refusalHint } from "./refusals.ts";

/** What a token needs for a task, in the words of GitHub's settings pages. */
export interface TokenNeed {
  /** The input that the token came from. */
  input: "github-token" | "job-token";
  /** The task, as in "github-token may not …". */
  task: string;
  /** How to grant the right, as a sentence. */
  remedy: string;
}

/** Says that the token may not do this (401, 403, or 404, by which GitHub hides things), or that it is empty. */
export class GithubTokenError extends UserError {
  /** Undefined: there is no token. */
  readonly status: number | undefined;

  /** `workedAt`: when GitHub last did what this token asked for. */
  constructor(need: TokenNeed, status: number | undefined, sentence: string, workedAt?: number) {
    const why = status === undefined ? `: ${sentence}.` : ` (GitHub answered ${status}: ${sentence}).`;
    super(`${need.input} may not ${need.task}${why}`, {
      hint: status === 401 ? unknownToken(need.input, workedAt) : refusalHint(sentence, need.remedy),
    });
    this.status = status;
  }
}

/** Says what to do about a 401, which no permission would change. */
function unknownToken(input: TokenNeed["input"], workedAt: number | undefined): string {
  if (workedAt !== undefined) {
    const until = new Date(workedAt).toISOString().slice(11, 16);
    return `The token worked until ${until} UTC: a GitHub App's token lasts an hour. Make it right before this step, or put a fine-grained token behind ${input} where the jobs take longer. Another one was revoked, or has expired.`;
  }
  return `GitHub does not know this token: it is mistyped, was revoked, or has expired. Make a new one, and put it into the secret behind ${input}.`;
}

/** Says that GitHub refused for a reason of its own: a rule of the organisation, a name, a group. */
export class GithubRefusedError extends UserError {
  constructor(task: string, status: number, sentence: string) {
    const otherwise =
      "If the organisation forbids self-hosted runners for this repository, an organisation owner has to allow them.";
    super(`GitHub refused to ${task} (${status}: ${sentence}).`, { hint: refusalHint(sentence, otherwise) });
  }
}

/** Says that GitHub gave no answer, a 5xx or a rate limit, which is no evidence about runners or jobs. */
export class GithubUnavailableError extends UserError {
  /** `waitMs`: GitHub wants to be left alone for so long, in milliseconds. */
  constructor(task: string, reason: string, { cause, waitMs = 0 }: { cause?: unknown; waitMs?: number } = {}) {
    super(`GitHub could not be asked to ${task} (${reason}).`, {
      cause,
      isPassing: true,
      waitMs,
      hint: "Look at githubstatus.com, and run the job again.",
    });
  }
}

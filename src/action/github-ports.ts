import type { RunnersPort } from "../create/rent.ts";
import { GithubUnavailableError } from "../github/github-errors.ts";
import type { Job } from "../github/job.ts";
import type { RunJobs } from "../github/run-jobs.ts";
import type { Clients } from "./clients.ts";
import { checkLabel } from "./label-in-use.ts";
import { maskSecret } from "./secrets.ts";
import { TokenTrust } from "./token-trust.ts";

/** The jobs of this attempt; undefined when GitHub could not be asked. */
export async function jobsOrUndefined(jobs: RunJobs, signal: AbortSignal | undefined): Promise<Job[] | undefined> {
  try {
    return await jobs.list(signal);
  } catch (error) {
    if (error instanceof GithubUnavailableError) return undefined;
    throw error;
  }
}

/** The registrations of this use: runners with that label, whose names begin with `ownNames`. */
export function runnersPort(
  room: Pick<Clients, "clock" | "log" | "runners">,
  label: string,
  ownNames: string,
): RunnersPort {
  const { runners } = room;
  const trust = new TokenTrust(room);
  let isLabelOurs = false;
  return {
    async registerRunner(name, signal) {
      const minted = await trust.prove(runners.registerRunner(name, label, signal));
      maskSecret(minted.jitConfig);
      // Two uses that began at the same time saw each other nowhere before; now one of them does.
      if (!isLabelOurs) await checkLabel(runners, label, signal, { names: ownNames, id: minted.id });
      isLabelOurs = true;
      return minted;
    },
    look: (ids, signal) => trust.orUndefined(runners.look(ids, signal)),
    remove: async (id, signal) => (await trust.orUndefined(runners.remove(id, signal))) ?? "unknown",
    get refusedSince() {
      return trust.refusedSince;
    },
  };
}

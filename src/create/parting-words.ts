import type { Marketplace } from "../marketplace/marketplace.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";

/** Why a machine gives itself back without a job, by its log: its host can write anything there. */
export interface PartingWords {
  /** `runner`: GitHub's program ended, and said this last. `script`: ours, which started none. */
  by: "runner" | "script";
  text: string;
}

/** onstart/README.md, "What the action reads". */
const OWN_LINE = /^\S+Z ghr: (.*)$/s;
const STAYS = "Staying for 60 s.";
const OF_RUNNER = "No job came to it. Its last words:";
/** More than the script says between its reason and its end. */
const LINES = 20;

/** Finds what a machine's script said right before it began to wait for its log to be read. */
export function partingWords(log: string): PartingWords | undefined {
  const own = log.split(/\r?\n/).flatMap((line) => OWN_LINE.exec(line)?.[1]?.trim() ?? []);
  const said = own[own.lastIndexOf(STAYS) - 1];
  if (said === undefined) return undefined;
  const by = said.startsWith(OF_RUNNER) ? "runner" : "script";
  const text = oneLine(by === "runner" ? said.slice(OF_RUNNER.length) : said);
  return text === "" ? undefined : { by, text };
}

/** GitHub's program goes on after either. */
const CONNECTION = /Runner (?:connect error: .*|reconnected\.)/;
const LONGEST = 200;

/** Finds what GitHub's program said last of a GitHub that does not let it connect; it prints no end of that. */
export function connectError(log: string): string | undefined {
  const said = log.split(/\r?\n/).flatMap((line) => CONNECTION.exec(line)?.[0] ?? []);
  const last = said.at(-1);
  return last?.startsWith("Runner connect") ? oneLine(last, LONGEST) : undefined;
}

/** Asks for a machine's log, and finds its parting words. `isFault`: it can't be had. */
export async function readPartingWords(
  { service, signal }: { service: Pick<Marketplace, "logs">; signal: AbortSignal },
  { instanceId, hideSecrets }: { instanceId: number; hideSecrets: (text: string) => string },
): Promise<{ words?: PartingWords; isFault?: true }> {
  try {
    const { text } = await service.logs({ id: instanceId, lines: LINES, log: "container" }, signal);
    const words = partingWords(hideSecrets(text));
    return words === undefined ? {} : { words };
  } catch (error) {
    // It is asked again while that may help, and is told when the machine is destroyed.
    if (!(error instanceof UserError)) throw error;
    return { isFault: true };
  }
}

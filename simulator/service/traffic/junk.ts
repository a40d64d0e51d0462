import type { ServiceAnswer } from "./service-answer.ts";

/** The faults in an answer's rows. */
export interface Junk {
  /** Columns that are a bare NaN, which JSON does not have. */
  readonly nan: readonly string[];
  readonly drop: readonly string[];
}

/** No value of the service looks like this. */
const MARK = "<<NaN>>";

/** Spoils an answer as the service was seen to do; its status stays. Text stays as it is. */
export function withJunk(answer: ServiceAnswer, { nan, drop }: Junk): ServiceAnswer {
  if ("text" in answer) return answer;
  const spoil = (name: string, value: unknown) => {
    if (drop.includes(name)) return undefined;
    return nan.includes(name) ? MARK : value;
  };
  const text = JSON.stringify(answer.body, spoil).replaceAll(`"${MARK}"`, "NaN");
  return { status: answer.status, text, type: "application/json" };
}

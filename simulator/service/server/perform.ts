import type { Fault } from "../../scenario/fault.ts";
import { authorize, type Caller, wordsOf } from "../account/keys.ts";
import { bodyObject, type RequestBody } from "../requests/request-body.ts";
import type { ServiceWorld } from "../service-world.ts";
import { findFault } from "../traffic/find-fault.ts";
import { withJunk } from "../traffic/junk.ts";
import { tooFrequent } from "../traffic/rate-limits.ts";
import { NotSimulated, Refusal } from "../traffic/refusal.ts";
import type { ServiceAnswer } from "../traffic/service-answer.ts";
import type { JournalEntry } from "../traffic/service-journal.ts";
import type { Route } from "./routes.ts";

/** A request that has reached its operation. */
export interface Arrival {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly body: RequestBody;
  readonly caller: Caller;
  /** Tells keys apart for the rate limits. */
  readonly authorization: string;
  readonly faults: readonly Fault[];
  readonly entry: JournalEntry;
}

/** Carries a request out or refuses it: permission first, then limits, then the operation. */
export function perform(arrival: Arrival, world: ServiceWorld): ServiceAnswer {
  const { route, query, body, caller, faults, entry } = arrival;
  try {
    authorize(caller, { operation: route.name, instanceId: route.id, body: body.json }, world);
    const { limits } = world;
    const limit = limits?.count(route.name, { key: arrival.authorization, paged: route.paged });
    if (limits && limit) {
      entry.mark = "rate-limited";
      // Where only the seed's words are known, they are used in both dialects.
      return tooFrequent(limit, wordsOf(route.name, world.dialect) === "seed" ? "json" : limits.form);
    }
    const call = {
      id: route.id,
      innerId: route.innerId,
      paged: route.paged,
      query,
      body: bodyObject(body),
      caller,
      faults,
    };
    const answer = route.run(call, world);
    entry.performed = true;
    const junk = findFault(faults, "junk");
    return junk ? withJunk(answer, junk) : answer;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal instanceof NotSimulated) entry.mark = "not-simulated";
    return refusal.answer;
  }
}

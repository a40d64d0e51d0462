import { z } from "zod";
import { Fault } from "../faults.ts";
import { json } from "../http/answer.ts";
import type { Route } from "../http/route.ts";

/** Replaces all faults by those of a JSON array. */
export const setFaults: Route = {
  method: "POST",
  path: "/_control/faults",
  handle: ({ world, body }) => {
    const faults = z.array(Fault).parse(JSON.parse(body));
    world.faults.set(faults);
    return json(200, faults);
  },
};

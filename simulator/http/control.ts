import { z } from "zod";
import type { Answer } from "./deliver.ts";
import { findRow } from "./match-path.ts";

/** No part of what is imitated: tests, scripts and people look behind it under this, without a key. */
export const CONTROL_PREFIX = "/_control/";

/** A path of the control, `METHOD /path/:id`. `json`: the body of a POST. */
export interface ControlRoute<World> {
  readonly at: string;
  /** Of its answer (default 200). */
  readonly status?: number;
  /** Gives what there is to see; undefined: there is none of this id. */
  run(world: World, json: unknown, id: number): unknown;
}

/** The paths that every server has. */
export const COMMON_ROUTES: readonly ControlRoute<{
  readonly journal: { readonly entries: readonly unknown[] };
  readonly faults: { set(faults: never): number };
}>[] = [
  { at: "GET /_control/journal", run: ({ journal }) => journal.entries },
  // What is wrong with them is found there.
  { at: "POST /_control/faults", run: ({ faults }, json) => ({ faults: faults.set(json as never) }) },
];

/** Answers a request of the control; what is wrong with it is said in one sentence. */
export function answerControl<World>(
  routes: readonly ControlRoute<World>[],
  world: World,
  { method, path, body }: { method: string; path: string; body: string },
): Answer {
  const found = findRow(routes, { method, path: path.replace(/\/$/, "") });
  try {
    const seen = found?.row.run(world, body === "" ? undefined : JSON.parse(body), Number(found.params.id));
    if (found && seen !== undefined) return { status: found.row.status ?? 200, body: seen };
    return { status: 404, body: { message: `There is: ${routes.map(({ at }) => at).join(", ")}.` } };
  } catch (fault) {
    const message = fault instanceof z.ZodError ? z.prettifyError(fault) : String(fault);
    return { status: 400, body: { message } };
  }
}

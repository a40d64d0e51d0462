import { Renter } from "../fleet/renter.ts";
import { volumeMachine } from "../market/volume-place.ts";
import { checkBeforeRenting } from "./check-before-renting.ts";
import type { Stay } from "./hold-machine.ts";
import type { InputValues } from "./inputs/input-schema.ts";
import { volumeOf } from "./inputs/volume-inputs.ts";
import type { Progress } from "./leaving/fail-in-order.ts";
import { openUse } from "./open-use.ts";
import type { Rooms } from "./platform/rooms.ts";
import type { RunContext } from "./platform/run-context.ts";
import { noteContext } from "./report/receipt-file.ts";
import type { AskedSize } from "./request/image-size-of-inputs.ts";
import { rentRequest } from "./request/rent-request.ts";
import { sweepFirst } from "./sweep-first.ts";

/** What is open before anything was asked. */
export interface Opening {
  inputs: Readonly<InputValues>;
  run: RunContext;
  rooms: Rooms;
  size: AskedSize;
  signal: AbortSignal;
}

/** Checks all that can be known, destroys leftovers, and draws the mark of this use: after that, machines may be rented. */
export async function openStay({ size, ...opening }: Opening, progress: Progress): Promise<Stay> {
  const { inputs, run, rooms, signal } = opening;
  const context = { startedAt: progress.begunAt, runnerLabel: run.runnerLabel, maxCost: inputs["max-cost"] };
  const checked = await checkBeforeRenting(rooms, run.runnerLabel, inputs["min-credit"], signal);
  await sweepFirst(rooms, run, { ...checked, maxMachines: inputs["machines-per-repository"], signal });
  const use = await openUse(rooms, run, signal);
  progress.use = use;
  noteContext(context);
  const machine = await volumeMachine({ ...rooms, signal }, volumeOf(inputs));
  const found = { ...use, ...checked, imageBytes: await size.bytes(), machine };
  const renter = new Renter({ ...rooms, ...use, signal }, rentRequest(inputs, run, found));
  return { ...opening, use, renter, context };
}

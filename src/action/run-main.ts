import { runFleet } from "../fleet/run-fleet.ts";
import { systemClock } from "../time/clock.ts";
import { checkOnly } from "./check/check-only.ts";
import { concludeMain } from "./conclude-main.ts";
import { readInputs } from "./inputs/inputs.ts";
import { failInOrder } from "./leaving/fail-in-order.ts";
import type { Progress } from "./leaving/progress.ts";
import { openUse } from "./open-use.ts";
import { openGithub, openService, type Rooms } from "./platform/rooms.ts";
import { readRunContext } from "./platform/run-context.ts";
import { Announcer } from "./report/announce.ts";
import { tellMachinesAtEnd } from "./report/attempts-log.ts";
import { askForSize } from "./request/image-size-of-inputs.ts";
import { oddInputs } from "./request/odd-inputs.ts";
import { resolveTemplate } from "./request/template-of-inputs.ts";

/** The main step: rents and holds; a failure is told, and leaves no machine or job behind. */
export async function runMain(signal: AbortSignal): Promise<void> {
  const progress: Progress = { begunAt: systemClock.now() };
  try {
    await rentAndHold(progress, signal);
  } catch (error) {
    await failInOrder(error, progress, signal);
  }
}

/** The story: check, wait for a job, rent, hold until the job is over; post gives back. */
async function rentAndHold(progress: Progress, signal: AbortSignal): Promise<void> {
  const given = readInputs();
  const run = readRunContext(given.name);
  await using service = openService(given);
  const rooms: Rooms = { ...service, ...openGithub(given, run) };
  for (const line of oddInputs(given)) rooms.log.info(line);
  const template = await resolveTemplate(rooms, given, signal);
  const { inputs } = template;
  await using size = askForSize(rooms, inputs, signal);
  if (inputs.check) return await checkOnly({ rooms, inputs, template, run, signal, imageBytes: () => size.bytes() });
  const opened = await openUse({ inputs, run, rooms, size, signal }, progress);
  const { deps, request, policy, use } = opened;
  await using _history = opened.history;
  using _told = tellMachinesAtEnd(rooms, use.fleet);
  const announcer = new Announcer(opened);
  const end = await runFleet(deps, request, policy, use.fleet, (fleet) => announcer.look(fleet));
  concludeMain(opened, end);
}

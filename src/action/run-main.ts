import { runFleet } from "../fleet/run-fleet.ts";
import { Announcer } from "../report/announce.ts";
import { tellMachinesAtEnd } from "../report/machine-table.ts";
import { systemClock } from "../shared/clock.ts";
import { failInOrder } from "../teardown/fail-in-order.ts";
import type { Progress } from "../teardown/progress.ts";
import { checkOnly } from "./check-only.ts";
import { type Clients, openGithub, openService } from "./clients.ts";
import { concludeMain } from "./conclude-main.ts";
import { askForSize } from "./image-size-of-inputs.ts";
import { oddInputs } from "./input-warnings.ts";
import { readInputs } from "./inputs.ts";
import { openUse } from "./open-use.ts";
import { readRunContext } from "./run-context.ts";
import { resolveTemplate } from "./template-of-inputs.ts";

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
  const rooms: Clients = { ...service, ...openGithub(given, run) };
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

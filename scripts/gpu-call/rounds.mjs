/** The job that rents may last 350 minutes; a machine has to boot and to go in them. */
export const MOST_MINUTES = 300;

/** `machines: auto` of the action, and the most that it takes. */
const MACHINES = { auto: 4, most: 16 };

/**
 * A warning for a call whose GPU jobs, one after another on its machines, may outlast the job that
 * rents. No refusal: jobs end long before their limit. One job alone always fits.
 * @param {{ machines: string, "timeout-minutes": string }} call @param {number} jobs
 * @returns {{ title: string, text: string } | undefined}
 */
export function warnOfRounds(call, jobs) {
  const machines = call.machines === "auto" ? MACHINES.auto : Number(call.machines);
  // Anything else is for the action to refuse, which knows its inputs.
  if (!(Number.isInteger(machines) && machines >= 1 && machines <= MACHINES.most)) return undefined;
  const minutes = Number(call["timeout-minutes"]);
  const rounds = Math.ceil(jobs / machines);
  if (rounds * minutes <= MOST_MINUTES) return undefined;
  const enough = Math.ceil(jobs / Math.floor(MOST_MINUTES / minutes));
  const text =
    `${jobs} GPU jobs on ${machines} machine${machines === 1 ? "" : "s"} take ${rounds} rounds: up to ${rounds * minutes} minutes by their ` +
    "timeout-minutes, beside the boots, and the job that rents ends after 350. Those that run then lose their machines, and those " +
    `that wait get none. If they may take so long: ${enough <= MACHINES.most ? `machines: ${enough}` : "several calls, each with a name"}, ` +
    "or less timeout-minutes.";
  return { title: "The GPU jobs may outlast the job that rents", text };
}

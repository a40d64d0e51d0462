import type { StageResult } from "../../../simulator/actions/stage.ts";
import type { InstanceRecord } from "../../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../../simulator/start-simulator.ts";
import { runnerConfigurations, withoutConfigurations } from "../../support/runner-configurations.ts";
import { faultsOfSession } from "../../support/session-faults.ts";

/** What no session may ever do, seen in books and logs, whatever was drawn: a sentence each. */
export function worldBreaches(
  sim: Simulator,
  { results, bystanders }: { results: readonly StageResult[]; bystanders: readonly InstanceRecord[] },
): string[] {
  return [
    ...faultsOfSession(sim, results),
    ...orders(sim, bystanders),
    ...sim.github
      .runners()
      .filter(({ name }) => !/^(?:gpu-4711-1|other)-/.test(name))
      .map(({ name }) => `A runner of another name is registered: ${name}.`),
  ];
}

/** Secrets that no process may show in its arguments. */
export function secretsOf(sim: Simulator): Record<string, string> {
  const machines = sim.service
    .instances()
    .flatMap(({ id, apiKey, order }): [string, string][] => [
      [`the key of instance ${id}`, apiKey],
      ...runnerConfigurations(order.env).map((jit, n): [string, string] => [`runner configuration ${n} of ${id}`, jit]),
    ]);
  return {
    "the API key": sim.service.apiKey,
    "a GitHub token": sim.github.runnerToken,
    "the job token": sim.github.jobToken,
    ...Object.fromEntries(machines),
  };
}

/**
 * The account's secrets stand in no field of what was ordered, and no runner configuration serves
 * two creates or stands elsewhere than in its variable.
 */
function orders(sim: Simulator, bystanders: readonly InstanceRecord[]): string[] {
  const ours = sim.service.instances().filter((record) => !bystanders.includes(record));
  const account = [sim.service.apiKey, sim.github.runnerToken, sim.github.jobToken];
  const used = new Map<string, InstanceRecord["order"]>();
  return ours.flatMap(({ id, order, label }) => {
    const configurations = runnerConfigurations(order.env);
    const rest = JSON.stringify({ ...order, env: withoutConfigurations(order.env), label });
    const usedBefore = configurations.some((each) => isOfAnother(used, each, order));
    return [
      ...(account.some((secret) => `${rest}${configurations.join()}`.includes(secret))
        ? [`A secret of the account stands in the order of instance ${id}.`]
        : []),
      ...(configurations.length === 0 || configurations.includes("")
        ? [`Instance ${id} has no runner configuration.`]
        : []),
      ...(configurations.some((configuration) => configuration !== "" && rest.includes(configuration))
        ? [`Instance ${id} shows its runner configuration.`]
        : []),
      ...(usedBefore ? [`Instance ${id} has a used runner configuration.`] : []),
    ];
  });
}

/** Two instances of one create have one order. */
function isOfAnother(
  seen: Map<string, InstanceRecord["order"]>,
  configuration: string,
  order: InstanceRecord["order"],
) {
  const first = seen.get(configuration) ?? order;
  seen.set(configuration, first);
  return first !== order;
}

import type { StageResult } from "../../simulator/actions/stage.ts";
import type { InstanceRecord } from "../../simulator/service/rentals/instance-record.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { runnerConfigurations, withoutConfigurations } from "../support/runner-configurations.ts";
import { faultsOfSession } from "../support/session-faults.ts";

/** What no session may ever do, seen in books and logs, whatever was drawn: a sentence each. */
export function worldBreaches(
  sim: Simulator,
  { results, bystanders }: { results: readonly StageResult[]; bystanders: readonly InstanceRecord[] },
): string[] {
  const names = sim.github.runners().map(({ name }) => name);
  const foreign = names.filter((name) => !/^(?:gpu-4711-1|other)-/.test(name));
  return [
    ...faultsOfSession(sim, results),
    ...configurationsOf(sim, bystanders),
    ...foreign.map((name) => `A runner of another name is registered: ${name}.`),
  ];
}

/** No runner configuration serves two creates or stands elsewhere than in its variable. */
function configurationsOf({ service }: Simulator, bystanders: readonly InstanceRecord[]): string[] {
  const used = new Map<string, InstanceRecord["order"]>();
  const ours = service.instances().filter((record) => !bystanders.includes(record));
  return ours.flatMap(({ id, order, label }) => {
    const configurations = runnerConfigurations(order.env);
    const rest = JSON.stringify({ ...order, env: withoutConfigurations(order.env), label });
    // Two instances of one create have one order.
    const isUsed = configurations.some((each) => (used.get(each) ?? order) !== order);
    for (const each of configurations) used.set(each, used.get(each) ?? order);
    const isShown = configurations.some((each) => each !== "" && rest.includes(each));
    const isMissing = configurations.length === 0 || configurations.includes("");
    return [
      ...(isMissing ? [`Instance ${id} has no runner configuration.`] : []),
      ...(isShown ? [`Instance ${id} shows its runner configuration.`] : []),
      ...(isUsed ? [`Instance ${id} has a used runner configuration.`] : []),
    ];
  });
}

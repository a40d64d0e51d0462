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
    ...orders(sim, bystanders),
    ...foreign.map((name) => `A runner of another name is registered: ${name}.`),
  ];
}

/**
 * The account's secrets stand in no field of what was ordered, and no runner configuration serves
 * two creates or stands elsewhere than in its variable.
 */
function orders({ github, service }: Simulator, bystanders: readonly InstanceRecord[]): string[] {
  const account = [service.apiKey, github.runnerToken, github.jobToken];
  const used = new Map<string, InstanceRecord["order"]>();
  const ours = service.instances().filter((record) => !bystanders.includes(record));
  return ours.flatMap(({ id, order, label }) => {
    const configurations = runnerConfigurations(order.env);
    const rest = JSON.stringify({ ...order, env: withoutConfigurations(order.env), label });
    // Two instances of one create have one order.
    const isUsed = configurations.some((each) => (used.get(each) ?? order) !== order);
    for (const each of configurations) used.set(each, used.get(each) ?? order);
    const whole = `${rest}${configurations.join()}`;
    const broken: [isSo: boolean, text: string][] = [
      [
        account.some((secret) => whole.includes(secret)),
        `A secret of the account stands in the order of instance ${id}.`,
      ],
      [configurations.length === 0 || configurations.includes(""), `Instance ${id} has no runner configuration.`],
      [
        configurations.some((each) => each !== "" && rest.includes(each)),
        `Instance ${id} shows its runner configuration.`,
      ],
      [isUsed, `Instance ${id} has a used runner configuration.`],
    ];
    return broken.flatMap(([isSo, text]) => (isSo ? [text] : []));
  });
}

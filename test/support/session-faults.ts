import type { StageResult } from "../../simulator/actions/stage.ts";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { runnerConfigurations } from "./runner-configurations.ts";

/** The action's own workflow commands; any other would be foreign text that became one. */
const OWN_COMMANDS = /^::(?:add-mask::|group::|endgroup::|(?:error|warning) title=[^:,]+::|warning::|debug::)/;

/** Breaches of what no session may ever do, whatever goes wrong around it: a sentence each. */
export function faultsOfSession(sim: Simulator, results: readonly StageResult[]): string[] {
  return [
    ...results.flatMap(({ log }) => bugs(log)),
    ...results.flatMap(({ log }) => foreignCommands(log)),
    ...leaks(sim, results),
    ...sim.service.journal.strays().map(({ method, path }) => `It asked the service for ${method} ${path}.`),
    ...strayGithubCalls(sim),
  ];
}

function bugs(log: string): string[] {
  return log.split("\n").filter((line) => /This is a bug of|UnhandledPromiseRejection|node:internal/.test(line));
}

function foreignCommands(log: string): string[] {
  const commands = log.split("\n").filter((line) => /^\s*::|##\[/.test(line) && !OWN_COMMANDS.test(line));
  return commands.map((line) => `It printed a command that is not its own: ${line}`);
}

/** No key of the account reaches a machine, and no secret what people or later steps can read. */
function leaks(sim: Simulator, results: readonly StageResult[]): string[] {
  const account = accountSecrets(sim);
  const places = { ...publicTexts(results), ...machineTexts(sim) };
  const found = findIn(places, secretsOf(sim));
  // The service needs the login of an image, and keeps it from the machine.
  const orders = sim.service.instances().map(({ id, label, order }): [string, string] => {
    const { image_login: _, ...toMachine } = order;
    return [`the order of instance ${id}`, JSON.stringify({ ...toMachine, label })];
  });
  return [...found, ...findIn(Object.fromEntries(orders), account)];
}

function accountSecrets(sim: Simulator): Record<string, string> {
  const { github, service } = sim;
  const tokens = { "a GitHub token": github.runnerToken, "the job token": github.jobToken };
  return { "the API key": service.apiKey, ...tokens, ...imageLogins(sim) };
}

/** Every secret of a session, by what it is. */
export function secretsOf(sim: Simulator): Record<string, string> {
  return { ...accountSecrets(sim), ...machineSecrets(sim) };
}

/** Tokens of image logins: the service gets them, and no machine. */
function imageLogins({ service }: Simulator): Record<string, string> {
  const logins = service.instances().flatMap(({ id, order }): [string, string][] => {
    const token = / -p (\S+) /.exec(order.image_login ?? "")?.[1];
    return token ? [[`the image login of instance ${id}`, token]] : [];
  });
  return Object.fromEntries(logins);
}

function findIn(places: Record<string, string>, secrets: Record<string, string>): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} stands in ${place}.`] : [])),
  );
}

function publicTexts(results: readonly StageResult[]): Record<string, string> {
  const texts = results.flatMap(({ log, outputs, state, env, summary, temp }, index): [string, string][] => [
    // The mask is how the platform is told what to hide.
    [`the log of stage ${index + 1}`, log.replace(/^::add-mask::.*$/gm, "")],
    [`the files of stage ${index + 1}`, JSON.stringify({ outputs, state, env, summary, temp })],
  ]);
  return Object.fromEntries(texts);
}

/** The machines' output, and the jobs' doings. */
function machineTexts({ service, github, machines }: Simulator): Record<string, string> {
  const printed = service.instances().map(({ id }) => [`the log of machine ${id}`, machines?.output(id) ?? ""]);
  const jobs = github.runs().flatMap((run) => run.jobs().map((job) => [`the log of job ${job.name}`, job.log]));
  return Object.fromEntries([...printed, ...jobs]);
}

function machineSecrets({ service }: Simulator): Record<string, string> {
  const secrets = service
    .instances()
    .flatMap(({ id, apiKey, order }) => [
      [`the key of instance ${id}`, apiKey],
      ...runnerConfigurations(order.env).map((jit, index) => [`configuration ${index} of ${id}`, jit]),
    ]);
  return Object.fromEntries(secrets);
}

function strayGithubCalls({ github }: Simulator): string[] {
  return github.journal.entries
    .filter(({ operation, path }) => operation === undefined && path.startsWith("/repos/"))
    .map(({ method, path }) => `It asked GitHub for ${method} ${path}.`);
}

/** The single-use runner configurations that a machine gets: one for each job that it may run. */
export function runnerConfigurations(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isConfiguration(name) ? [value] : []));
}

/** The other variables. */
export function withoutConfigurations(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isConfiguration(name)));
}

function isConfiguration(name: string): boolean {
  return /^GHR_JIT(_\d)?$/.test(name);
}

/** Variables by which every program of the machine is found or loaded, its own guards included. */
const OF_EVERY_PROGRAM = ["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV"];

/** A name in capitals that begins an element of a path or of a list: `/x:$PATH`, `$HOME/x`, `${USER}`. */
const REFERENCE = /(?:^|[:/,])\$\{?[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])/;

/**
 * Says what is wrong with a variable of the machine, as the end of a sentence; undefined for a good one.
 * A dollar elsewhere, as in a password or in a line of shell, may be meant. No value is shown.
 */
export function faultOfVariable(name: string, value: string): string | undefined {
  const inJob = name === "PATH" ? "have the job write folders into $GITHUB_PATH" : "set it in the job's own env";
  if (OF_EVERY_PROGRAM.includes(name))
    return `sets ${name}, by which the machine finds its own programs, too: ${inJob}, or set it in the image`;
  const isOwn = value.includes(`$${name}`) || value.includes(`\${${name}}`);
  if (!isOwn && !REFERENCE.test(value)) return undefined;
  return `sets ${name} to the value of another variable ($NAME), and variables are not expanded here: write the value itself, or set ${name} in the job (into $GITHUB_ENV) or in the image`;
}

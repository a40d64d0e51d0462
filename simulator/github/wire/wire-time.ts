/** Writes simulated milliseconds as GitHub does: UTC, whole seconds. */
export function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

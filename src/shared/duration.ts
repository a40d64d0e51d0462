/** An hour in milliseconds. */
export const HOUR_MS = 3_600_000;

const UNIT_MS = { h: HOUR_MS, m: 60_000, s: 1000 } as const;
const DURATION = /^(?:(?<h>\d{1,6})h)?(?:(?<m>\d{1,6})m)?(?:(?<s>\d{1,6})s)?$/;

/** Reads `90s`, `10m`, `2h` or `1h30m` as milliseconds; undefined for any other text, a bare number included. */
export function parseDuration(text: string): number | undefined {
  const parts = DURATION.exec(text)?.groups;
  if (!parts || text === "") return undefined;
  return Number(parts.h ?? 0) * UNIT_MS.h + Number(parts.m ?? 0) * UNIT_MS.m + Number(parts.s ?? 0) * UNIT_MS.s;
}

/** Writes milliseconds as people read them: `8s`, `4m 5s`, `1h 30m`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`;
  if (minutes > 0) return seconds % 60 > 0 ? `${minutes}m ${seconds % 60}s` : `${minutes}m`;
  return `${seconds}s`;
}

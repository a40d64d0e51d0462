import type { HandWoundClock } from "../unit/support/hand-wound-clock.ts";
import type { Fault, Faults, What } from "./fault.ts";
import type { Happening } from "./referee/record.ts";
import type { World } from "./world.ts";

/** A place's answer; a page: no JSON. */
export interface Said {
  status: number;
  json: unknown;
  headers?: Record<string, string>;
}

/** What a gateway answers with. */
export const PAGE = "<html><head><title>Just a moment</title></head></html>";
const page = (status: number): Said => ({ status, json: undefined });
const PAGES = { "502": page(502), "page 200": page(200), "page 403": page(403), "page 404": page(404) };

/** The service's no, by its word for it. */
export const refused = (status: number, error: string | undefined, msg: string): Said => ({
  status,
  json: { success: false, error, msg },
});
const github = (status: number, message: string): Said => ({ status, json: { message } });

/** What the service answers instead of carrying a request out. */
export const SERVICE_SAYS: Partial<Record<What, Said>> = {
  ...PAGES,
  "429": refused(429, undefined, "API requests too frequent"),
  "401": refused(401, "auth_error", "Invalid user key"),
  "403": refused(403, "forbidden", "Your key may not do this"),
  "404": refused(404, "not_found", "no such path"),
  "400 host": refused(400, "invalid_args", "not enough disk on this machine"),
  "400 request": refused(400, "invalid_args", "error 400/3603: invalid value of env"),
  taken: refused(404, "no_such_ask", "no such ask"),
  "no credit": refused(400, "insufficient_credit", "Your account lacks credit"),
  "no offers": { status: 200, json: { offers: [] } },
  "said, not done": { status: 200, json: { success: true } },
  "success: false": refused(200, undefined, "The machine did not answer."),
};

/** What GitHub answers instead of carrying a request out. */
export const GITHUB_SAYS: Partial<Record<What, Said>> = {
  ...PAGES,
  "429": { ...github(429, "secondary rate limit"), headers: { "retry-after": "30" } },
  "401": github(401, "Bad credentials"),
  "403": github(403, "Resource not accessible by personal access token"),
  "404": github(404, "Not Found"),
  "409": github(409, "Already exists - A runner with the name already exists."),
};

/** Where a place answers: in a world, with its faults, before a referee. */
export interface Scene {
  clock: HandWoundClock;
  world: World;
  faults: Faults;
  hears: (happening: Happening) => void;
}

/** What a list shows of its rows; and how many of those that it lacks it tells of. */
export function shownOf<Row>(rows: readonly Row[], fault: Fault | undefined): { shown: Row[]; told: number } {
  const { detail = 0, what = "" } = fault ?? {};
  const isLacking = (index: number) => what.startsWith("partial") && ((detail >> (index % 7)) & 1) === 1;
  const shown = isEmpty(fault) ? [] : rows.filter((_, index) => !isLacking(index));
  return { shown, told: what.endsWith("honest") ? rows.length - shown.length : 0 };
}

/** True of a list without any row. */
export function isEmpty(fault: Fault | undefined): boolean {
  return fault?.what.startsWith("empty") === true;
}

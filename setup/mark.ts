import { createHash } from "node:crypto";
import { proposedIn, settingNodes } from "./setting-nodes.ts";
import { SetupError } from "./setup-error.ts";
import { rangeOf, Yaml } from "./yaml-file.ts";

const MARK = "# Made by init of the ephemeral GPU runner";

/** Puts the mark over a workflow: it is ours as long as nothing but a setting differs from what we wrote. */
export function marked(body: string): string {
  return `${MARK}, sum ${sumOf(body)}. Run it again to check or change this.\n${body}`;
}

/** What stands below the mark; undefined: there is none. */
export function bodyOf(text: string): string | undefined {
  const unix = text.replaceAll("\r\n", "\n");
  return unix.startsWith(MARK) ? unix.slice(unix.indexOf("\n") + 1) : undefined;
}

/** Whose a file is: ours as we wrote it, ours and changed since, or another's. */
export function ownership(text: string): "ours" | "changed" | "foreign" {
  const body = bodyOf(text);
  const [, sum] = /^.*, sum ([0-9a-f]{16})\. /.exec(text) ?? [];
  if (body === undefined || sum === undefined) return "foreign";
  try {
    return sumOf(body) === sum ? "ours" : "changed";
  } catch (fault) {
    if (fault instanceof SetupError) return "changed";
    throw fault;
  }
}

/** A sum over all but the settings, so that a setting may be changed in the file itself. */
function sumOf(body: string): string {
  const { action, ...others } = settingNodes(new Yaml(body));
  const bare = Object.values(others).filter((node) => proposedIn(node) === undefined);
  const holes = bare.map((node) => ({ start: rangeOf(node)[0], end: rangeOf(node)[1] }));
  // The comment behind an action names its version, that behind a proposed price its market: they change with them.
  const withComment = [action, proposedIn(others.maxPrice) === undefined ? undefined : others.maxPrice];
  for (const [start] of withComment.filter((node) => node !== undefined).map(rangeOf))
    holes.push({ start, end: body.indexOf("\n", start) });
  let rest = body;
  for (const hole of holes.toSorted((one, other) => other.start - one.start))
    rest = rest.slice(0, hole.start) + rest.slice(hole.end);
  return createHash("sha256").update(rest).digest("hex").slice(0, 16);
}

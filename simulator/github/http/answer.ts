import { createHash } from "node:crypto";
import type { Answer } from "../../http/deliver.ts";
import type { Visit } from "./route.ts";

/** Answers with a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, body, headers };
}

/** Refuses in GitHub's form: a message, where to read, and the status once more as text. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Answer {
  const documentation_url = "https://docs.github.com/rest";
  return { status, body: { message, documentation_url, status: String(status) }, headers };
}

/** Says that it is done, without a body. */
export const NO_CONTENT: Answer = { status: 204 };

/** Refuses what is not there, and what the caller may not know to be there. */
export function notFound(): Answer {
  return refusal(404, "Not Found");
}

/** Adds the ETag of a body; becomes 304 without a body when the caller already has it. */
export function conditional(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (answer.status !== 200) return answer;
  const etag = `W/"${createHash("sha256").update(JSON.stringify(answer.body)).digest("hex")}"`;
  const headers = { ...answer.headers, etag };
  return ifNoneMatch === etag ? { status: 304, headers } : { ...answer, headers };
}

const MOST_PER_PAGE = 100;

/** Shows the page asked for (`per_page` 30 by default, 100 at most) of a list, with its Link header. */
export function listed<Item>(call: Visit, items: readonly Item[], show: (page: Item[], total: number) => unknown) {
  const perPage = Math.min(positive(call.query.get("per_page"), 30), MOST_PER_PAGE);
  const page = positive(call.query.get("page"), 1);
  const last = Math.max(Math.ceil(items.length / perPage), 1);
  const links = [
    ...(page > 1 ? [link(call, page - 1, "prev")] : []),
    ...(page < last ? [link(call, page + 1, "next"), link(call, last, "last")] : []),
    ...(page > 1 ? [link(call, 1, "first")] : []),
  ];
  const headers = links.length > 0 ? { link: links.join(", ") } : {};
  return json(200, show(items.slice((page - 1) * perPage, page * perPage), items.length), headers);
}

/** The same of a list that says how many there are, and has a name. */
export function counted<Item>(call: Visit, name: string, items: readonly Item[], show: (item: Item) => unknown) {
  return listed(call, items, (page, total_count) => ({ total_count, [name]: page.map(show) }));
}

function positive(given: string | null, otherwise: number): number {
  const number = Number(given);
  return given !== null && Number.isInteger(number) && number > 0 ? number : otherwise;
}

function link({ query: given, api, path }: Visit, page: number, relation: string): string {
  const query = new URLSearchParams(given);
  query.set("page", String(page));
  return `<${api}${path}?${query}>; rel="${relation}"`;
}

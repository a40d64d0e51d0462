import type { Call } from "./operation.ts";

const MOST_PER_PAGE = 100;

/** Cuts the page asked for (`per_page` 30 by default, 100 at most), and makes its Link header. */
export function paginate<Item>(call: Call, items: readonly Item[]): { page: Item[]; headers: Record<string, string> } {
  const perPage = Math.min(positive(call.query.get("per_page"), 30), MOST_PER_PAGE);
  const page = positive(call.query.get("page"), 1);
  const last = Math.max(Math.ceil(items.length / perPage), 1);
  const links = [
    ...(page > 1 ? [link(call, page - 1, "prev")] : []),
    ...(page < last ? [link(call, page + 1, "next"), link(call, last, "last")] : []),
    ...(page > 1 ? [link(call, 1, "first")] : []),
  ];
  return {
    page: items.slice((page - 1) * perPage, page * perPage),
    headers: links.length > 0 ? { link: links.join(", ") } : {},
  };
}

function positive(given: string | null, otherwise: number): number {
  const number = Number(given);
  return given !== null && Number.isInteger(number) && number > 0 ? number : otherwise;
}

function link(call: Call, page: number, relation: string): string {
  const query = new URLSearchParams(call.query);
  query.set("page", String(page));
  return `<${call.api}${call.path}?${query}>; rel="${relation}"`;
}

import { expect } from "vitest";

/** As a browser does: opens the page on loopback, sends its form to GitHub, and follows the way back. */
export async function makeAppByPage(page: string): Promise<object> {
  const html = await (await fetch(page)).text();
  const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
  const [, manifest = ""] = /name="manifest" value="([^"]+)"/.exec(html) ?? [];
  const plain = manifest.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ manifest: plain }).toString();
  const answer = await fetch(action.replaceAll("&amp;", "&"), { method: "POST", headers, body, redirect: "manual" });
  const back = answer.headers.get("location") ?? "";
  // Another page of the browser, which does not know the state, is sent away.
  expect((await fetch(back.replace(/state=[^&]+/, "state=guessed"))).status).toBe(404);
  expect((await fetch(back)).status).toBe(200);
  return JSON.parse(plain) as object;
}

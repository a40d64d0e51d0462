/**
 * Writes a page of HTML as GitHub shows Markdown of the kinds that a summary has: headings, tables,
 * code, lists, bold and links. Mermaid draws its own blocks in the browser, as it does on GitHub.
 */
export function pageOf(markdown: string, mermaid: string): string {
  const style = `
    body { font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; color: #1f2328; margin: 24px; }
    h3 { font-size: 20px; margin: 0 0 16px; }
    table { border-collapse: collapse; font-size: 14px; margin: 0 0 16px; }
    th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } tr:nth-child(2n) { background: #f6f8fa; }
    pre { background: #f6f8fa; border-radius: 6px; padding: 16px; font: 13.6px/1.45 "DejaVu Sans Mono", monospace; overflow: hidden; }
    pre.mermaid { background: none; padding: 0; } a { color: #0969da; text-decoration: none; } p, ul { margin: 0 0 16px; }`;
  return `<!doctype html><html><head><meta charset="utf-8"><style>${style}</style></head><body>
${blocksOf(markdown).map(htmlOf).join("\n")}
<script src="${mermaid}"></script>
<script>
  mermaid.initialize({ startOnLoad: false });
  mermaid.run().catch((fault) => document.body.setAttribute("data-fault", String(fault?.message ?? fault)))
    .finally(() => document.body.setAttribute("data-height", document.documentElement.scrollHeight));
</script></body></html>`;
}

/** Splits Markdown at its empty lines, but not within code. */
function blocksOf(markdown: string): string[] {
  return (markdown.match(/^```[\s\S]*?^```$|(?:^(?!```).+$\n?)+/gm) ?? []).map((block) => block.trimEnd());
}

function htmlOf(block: string): string {
  const [, language, code = ""] = /^```(\w+)\n([\s\S]*?)\n```$/.exec(block) ?? [];
  if (language !== undefined) return `<pre class="${language}">${escaped(code)}</pre>`;
  if (block.startsWith("|")) return tableOf(block.split("\n"));
  const heading = /^#+ (.*)$/.exec(block)?.[1];
  if (heading !== undefined) return `<h3>${inline(heading)}</h3>`;
  if (block.startsWith("- "))
    return `<ul>${block
      .split(/^- /m)
      .slice(1)
      .map((item) => `<li>${inline(item)}</li>`)
      .join("")}</ul>`;
  return `<p>${inline(block)}</p>`;
}

function tableOf([titles = "", , ...rows]: readonly string[]): string {
  const cells = (line: string, tag: string) =>
    line
      .slice(2, -2)
      .split(" | ")
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join("");
  return `<table><tr>${cells(titles, "th")}</tr>${rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")}</table>`;
}

function inline(text: string): string {
  return text.replace(/\*\*(.+?)\*\*/g, "<b>$1</b>").replace(/\[([^\]]*)\]\(([^)]*)\)/g, '<a href="$2">$1</a>');
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

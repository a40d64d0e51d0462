/** A warning, an error or a notice of a job's step, on the page of its run. */
export interface Annotation {
  readonly level: "notice" | "warning" | "failure";
  readonly title: string;
  readonly message: string;
}

/**
 * An annotation as GitHub shows it. SPEC-SILENT: its place, where a step printed it without a file;
 * here what GitHub's own pages name.
 */
export function wireAnnotation({ level, title, message }: Annotation, index: number, blob: string): object {
  const place = { start_line: index + 1, end_line: index + 1, start_column: null, end_column: null };
  const text = { annotation_level: level, title, message, raw_details: "" };
  return { path: ".github", blob_href: blob, ...place, ...text };
}

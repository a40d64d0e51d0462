import type { Gh } from "./gh.ts";
import type { Note } from "./note.ts";
import type { Options } from "./options.ts";
import type { Questions } from "./questions.ts";
import type { Screen, Secrets } from "./screen.ts";
import type { ActionRelease } from "./workflows.ts";

/** The tools of one start, made once. */
export interface Context {
  /** Those that were given; of the others the answers of a start that broke off. */
  options: Options & { branch: string };
  secrets: Secrets;
  screen: Screen;
  questions: Questions;
  gh: Gh;
  /** GitHub's interface, and its pages. */
  places: { api: string; web: string };
  note: Note;
  /** Undefined: it is not known whose action this is. */
  action: ActionRelease | undefined;
  /** A variable of the environment; what is empty counts as missing. */
  variable(name: string): string | undefined;
  /** Aborts at Ctrl-C. */
  stop: AbortSignal;
}

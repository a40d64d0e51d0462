import type { AppApi, GithubPlaces } from "./app-api.ts";
import type { Gh } from "./gh.ts";
import type { Note } from "./note.ts";
import type { Options } from "./options.ts";
import type { Questions } from "./questions.ts";
import type { Screen, Secrets } from "./screen.ts";
import type { ActionRelease } from "./workflows.ts";

/** The tools of one start, made once. */
export interface Context {
  options: Options;
  secrets: Secrets;
  screen: Screen;
  questions: Questions;
  gh: Gh;
  apps: AppApi;
  places: GithubPlaces;
  note: Note;
  /** Undefined: it is not known whose action this is. */
  action: ActionRelease | undefined;
  /** A variable of the environment; what is empty counts as missing. */
  variable(name: string): string | undefined;
  /** Aborts at Ctrl-C. */
  stop: AbortSignal;
}

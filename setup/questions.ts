import { confirm, isCancel, multiselect, password, select, text } from "@clack/prompts";
import { visible } from "./screen.ts";
import { StoppedError } from "./setup-error.ts";

/** One answer to choose. */
export interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

/** Asks a person at a terminal; where nothing is to be asked, takes what is proposed. */
export class Questions {
  readonly #asks: boolean;
  readonly #stop: AbortSignal;

  constructor(asks: boolean, stop: AbortSignal) {
    this.#asks = asks;
    this.#stop = stop;
  }

  /** Whether there is somebody to ask. Throws after a Ctrl-C that came between two questions. */
  get asks(): boolean {
    if (this.#stop.aborted) throw new StoppedError();
    return this.#asks;
  }

  /** One of several; Enter takes the proposed one. */
  async choose<T extends string>(message: string, choices: readonly Choice<T>[], proposed: T): Promise<T> {
    const options = choices.map((choice) => ({ ...choice, label: visible(choice.label) }));
    // The library's type of a choice is one for each kind of value, which no generic one meets.
    return await this.#answer(proposed, () => select<string>({ message, options, initialValue: proposed }));
  }

  /** One or more of several names, in their order; Enter takes the proposed ones. */
  async several(message: string, names: readonly string[], proposed: readonly string[]): Promise<string[]> {
    const options = names.map((value) => ({ value, label: visible(value) }));
    const ask = () => multiselect({ message, options, initialValues: [...proposed], required: true });
    const chosen = await this.#answer(proposed, ask);
    return names.filter((name) => chosen.includes(name));
  }

  /** A line of text; Enter takes the proposed one. */
  async line(message: string, proposed: string): Promise<string> {
    const ask = () => text({ message, initialValue: proposed, defaultValue: proposed });
    return (await this.#answer(proposed, ask)).trim() || proposed;
  }

  /** A secret, which is not shown. Empty where nobody can be asked. */
  async secret(message: string): Promise<string> {
    const validate = (given = "") => (given.trim() === "" ? "Paste it, and press Enter." : undefined);
    return await this.#answer("", () => password({ message, validate }));
  }

  /** Yes or no; Enter takes the proposed one. */
  async yes(message: string, proposed: boolean): Promise<boolean> {
    return await this.#answer(proposed, () => confirm({ message: visible(message), initialValue: proposed }));
  }

  async #answer<T>(proposed: T, ask: () => Promise<unknown>): Promise<T> {
    if (!this.asks) return proposed;
    const answer = await ask();
    if (isCancel(answer)) throw new StoppedError();
    return answer as T;
  }
}

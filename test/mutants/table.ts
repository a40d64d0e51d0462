/** One decision, broken. */
export interface Mutant {
  readonly name: string;
  /** The rule that it breaks, in the words of the design: who moves the code finds the place by it. */
  readonly rule: string;
  /** The text that is looked for in all of src/. It must stand there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/**
 * Decisions whose loss costs money or a job. Whoever moves such a line renews its row: a text that
 * does not stand in src/ exactly once makes `npm run mutants` fail before it runs any test.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "a label is ours without the dot after the mark",
    rule: "Post destroys all whose label starts with our prefix, compared by us",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text of the source
    find: "label?.startsWith(`${prefix}.`)",
    replace: "label?.startsWith(prefix)",
  },
  {
    name: "the id in an answer of an error is not read",
    rule: "Read new_contract from every answer, errors included; an unwanted one is destroyed",
    find: 'if (read.kind === "unwanted") return { kind: "unwanted", instanceId: read.id, refusal };',
    replace: "",
  },
  {
    name: "a gateway's time-out is a refusal",
    rule: "No answer, 5xx, unreadable: uncertain",
    find: 'if (code === "unreadable" || status >= 500 || status === 408)',
    replace: 'if (code === "unreadable" || status >= 500)',
  },
  {
    name: "a 5xx to a create is a refusal",
    rule: "No answer, 5xx, unreadable: uncertain",
    find: 'if (code === "unreadable" || status >= 500 || status === 408)',
    replace: 'if (code === "unreadable" || status === 408)',
  },
  {
    name: "a page of a proxy is the service's refusal",
    rule: "A refusal counts in the service's own JSON; a gateway's page is passing whatever its status",
    find: 'return ownWord ? { kind: "refused", refusal } : { kind: "uncertain", refusal };',
    replace: 'return { kind: "refused", refusal };',
  },
  {
    name: "a busy runner is taken for one that was removed",
    rule: "Given up: 422 (a job came): kept",
    find: 'return answer.status === 422 ? "busy" : "removed"',
    replace: 'return answer.status === 409 ? "busy" : "removed"',
  },
  {
    name: "machines are rented while one can't be destroyed",
    rule: "Nothing is rented while a machine can't be destroyed",
    find: 'return fault === undefined ? undefined : { kind: "undestroyed", fault };',
    replace: "return undefined;",
  },
  {
    name: "renting goes on after attempts",
    rule: "Renting stops: attempts × the most wanted at a time have failed",
    find: "failures.length >= rules.attempts * Math.max(1, fleet.mostWanted)",
    replace: "failures.length > rules.attempts * Math.max(1, fleet.mostWanted)",
  },
  {
    name: "search-timeout is not heard",
    rule: "Renting stops when no offer fits for search-timeout",
    find: 'return now - noOfferSince < rules.searchTimeout ? undefined : { kind: "no-offer" };',
    replace: "return undefined;",
  },
  {
    name: "a machine outlives its deadline",
    rule: "Each machine: its deadline → over, destroyed unasked",
    find: "if (!isPastDeadline(machine, now)) return undefined;",
    replace: "return undefined;",
  },
  {
    name: "one look is enough to end",
    rule: "The end: two looks, 15 s apart",
    find: "return at - first >= CONFIRMED_AFTER_MS;",
    replace: "return at - first >= 0;",
  },
  {
    name: "one machine more than machines",
    rule: "How many: min(n, machines − busy)",
    find: "Math.max(0, rules.machines - fleet.machines.filter(isCounted).length)",
    replace: "Math.max(0, rules.machines + 1 - fleet.machines.filter(isCounted).length)",
  },
  {
    name: "a main that holds ends while a list can't be read",
    rule: "The end: can't be read: no other row is judged",
    find: "if (fleet.jobsFault !== undefined) return listUnreadable(facts, fleet.jobsFault);",
    replace: "",
  },
  {
    name: "a list that lacks a machine is believed",
    rule: "Evidence: absence is asked back by id",
    find: "if (gone.includes(instance.id)) noteAbsent",
    replace: "if (!instances.some(({ id }) => id === instance.id)) noteAbsent",
  },
  {
    name: "an event that is older than the last of its kind is written",
    rule: "An event that is older than the last of its kind, or comes twice, changes nothing",
    find: "if ((state.lastAsked[subject] ?? Number.NEGATIVE_INFINITY) >= event.askedAt) return;",
    replace: "",
  },
  {
    name: "a page that GitHub did not write is its refusal",
    rule: "Evidence: a gateway's page is passing whatever its status",
    find: "if (status >= 400 && isPage(response.data)) throw",
    replace: "if (status >= 600 && isPage(response.data)) throw",
  },
  {
    name: "both instances of one create stay",
    rule: "Seen before either runs, the younger is destroyed by id",
    find: "return hasRun || machine.answer === undefined ? [] : alive.slice(1);",
    replace: "return hasRun || machine.answer === undefined ? [] : alive.slice(2);",
  },
  {
    name: "an offer above max-price passes",
    rule: "Every filter is checked again on our side",
    find: "broken: ({ price }, { maxPrice }) => !(price.total <= maxPrice)",
    replace: "broken: () => false",
  },
  {
    name: "an offer that max-cost can't pay passes",
    rule: "max-cost: the rest must pay for the shortest sensible use of an offer",
    find: "requirements.budget !== undefined && !(leastOf(offer, requirements) <= requirements.budget.left)",
    replace: "false",
  },
  {
    name: "the sweep takes another repository's machines",
    rule: "Sweep: an instance whose label is ours (this server, this repository)",
    find: "|| label.repositoryId !== repositoryId",
    replace: "",
  },
];

interface Shrinking<Plan, Broken> {
  /** Plays a plan; undefined: it does not break the rule. */
  play: (plan: Plan) => Promise<Broken | undefined>;
  /** Plays in all. */
  most: number;
  /** Plays side by side. */
  atOnce: number;
}

/**
 * Leaves out one thing after the other, the biggest first, and keeps each plan that still breaks the rule; again until
 * nothing can be left out. `plain` is a plan in which nothing happens. Of those that are played side by side the first
 * in order counts, so how many there are changes nothing. `broken`: the shortest plan's outcome; undefined: nothing
 * could be left out.
 */
export async function shrink<Plan, Broken>(whole: Plan, plain: Plan, { play, most, atOnce }: Shrinking<Plan, Broken>) {
  const shrunk = { plan: whole, broken: undefined as Broken | undefined, plays: 0 };
  // What is needed beside something that is gone by now is tried again.
  for (let before: Plan | undefined; before !== shrunk.plan; ) {
    before = shrunk.plan;
    const needed = new Set<string>();
    for (;;) {
      const batch = shorter(shrunk.plan, plain)
        .filter(({ name }) => !needed.has(name))
        .slice(0, atOnce);
      if (batch.length === 0) break;
      if (shrunk.plays + batch.length > most) return shrunk;
      const results = await Promise.all(batch.map(({ value }) => play(structuredClone(value))));
      shrunk.plays += batch.length;
      const nth = results.findIndex((result) => result !== undefined);
      for (const { name } of batch.slice(0, nth < 0 ? batch.length : nth)) needed.add(name);
      const found = batch[nth];
      if (found !== undefined) Object.assign(shrunk, { plan: found.value, broken: results[nth] });
    }
  }
  return shrunk;
}

/** A value that lacks one thing, and how deep that was. `name` stays the same while others are left out. */
interface Shorter<Value> {
  name: string;
  value: Value;
  depth: number;
}

/** Every plan that lacks one thing of this one, the biggest things first. */
function shorter<Plan>(plan: Plan, plain: Plan): Shorter<Plan>[] {
  return [...(lesser(plan, plain) as Generator<Shorter<Plan>>)].sort((left, right) => left.depth - right.depth);
}

function* lesser(value: unknown, plain: unknown, name = "", depth = 0): Generator<Shorter<unknown>> {
  if (JSON.stringify(value) === JSON.stringify(plain)) return;
  if (depth > 0) yield { name: `plain ${name}`, value: plain, depth };
  if (Array.isArray(value) && Array.isArray(plain)) yield* lesserLists(value, plain, name, depth + 1);
  else if (isObject(value) && isObject(plain))
    for (const key of new Set([...Object.keys(plain), ...Object.keys(value)]))
      for (const less of lesser(value[key], plain[key], `${name}.${key}`, depth + 1))
        yield { ...less, value: { ...value, [key]: less.value } };
}

/** A list without one of its things, or with a plainer one; the first of the plain list is the model of all. */
function* lesserLists(list: unknown[], plain: unknown[], name: string, depth: number): Generator<Shorter<unknown>> {
  const [model] = plain;
  for (const [index, each] of list.entries()) {
    const at = `${name}[${index}]`;
    // A list that has a thing in the plain plan keeps one.
    const mayGo = list.length > plain.length || model === undefined;
    if (mayGo) yield { name: `without ${at}`, value: list.toSpliced(index, 1), depth };
    for (const less of model === undefined ? [] : lesser(each, model, at, depth))
      yield { ...less, value: list.with(index, less.value) };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

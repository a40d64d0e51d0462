/** A plan, made shorter. */
interface Shrunk<Plan, Broken> {
  plan: Plan;
  /** The shortest plan's outcome; undefined: nothing could be left out. */
  broken: Broken | undefined;
  plays: number;
  /** False: `most` was reached before everything had been tried. */
  isShortest: boolean;
}

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
 * in order counts, so how many there are changes nothing.
 */
export async function shrink<Plan, Broken>(
  whole: Plan,
  plain: Plan,
  { play, most, atOnce }: Shrinking<Plan, Broken>,
): Promise<Shrunk<Plan, Broken>> {
  const shrunk: Shrunk<Plan, Broken> = { plan: whole, broken: undefined, plays: 0, isShortest: true };
  // What is needed beside something that is gone by now is tried again.
  for (let before: Plan | undefined; before !== shrunk.plan; ) {
    before = shrunk.plan;
    const needed = new Set<string>();
    for (;;) {
      const batch = shorter(shrunk.plan, plain)
        .filter(({ name }) => !needed.has(name))
        .slice(0, atOnce);
      if (batch.length === 0) break;
      if (shrunk.plays + batch.length > most) return { ...shrunk, isShortest: false };
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

/** A value that lacks one thing. `name` stays the same while others are left out. */
interface Shorter<Value> {
  name: string;
  value: Value;
}

/** Every plan that lacks one thing of this one, the biggest things first. */
export function shorter<Plan>(plan: Plan, plain: Plan): Shorter<Plan>[] {
  return lesser(plan, plain).sort((left, right) => left.depth - right.depth);
}

type Lesser<Value> = Shorter<Value> & { depth: number };

function lesser<Value>(value: Value, plain: Value, name = "", depth = 0): Lesser<Value>[] {
  if (isSame(value, plain)) return [];
  const whole = depth === 0 ? [] : [{ name: `plain ${name}`, value: plain, depth }];
  if (Array.isArray(value) && Array.isArray(plain))
    return [...whole, ...(lesserLists(value, plain, name, depth + 1) as Lesser<Value>[])];
  if (!isObject(value) || !isObject(plain)) return whole;
  const fields = [...new Set([...Object.keys(plain), ...Object.keys(value)])].flatMap((key) =>
    lesser(value[key], plain[key], `${name}.${key}`, depth + 1).map((less) => ({
      ...less,
      value: { ...value, [key]: less.value } as Value,
    })),
  );
  return [...whole, ...fields];
}

/** A list without one of its things, or with a plainer one; the first of the plain list is the model of all. */
function lesserLists(list: unknown[], plain: unknown[], name: string, depth: number): Lesser<unknown>[] {
  const [model] = plain;
  return list.flatMap((each, index) => {
    const at = `${name}[${index}]`;
    const without = { name: `without ${at}`, value: list.toSpliced(index, 1), depth };
    const plainer = model === undefined ? [] : lesser(each, model, at, depth);
    const changed = plainer.map((less) => ({ ...less, value: list.with(index, less.value) }));
    // A list that has a thing in the plain plan keeps one.
    return list.length > plain.length || model === undefined ? [without, ...changed] : changed;
  });
}

function isObject<Value>(value: Value): value is Value & Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

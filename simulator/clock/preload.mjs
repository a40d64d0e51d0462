// Makes a Node process live in simulated time: NODE_OPTIONS=--import=<this file's URL>, with
// SIM_TIME_FACTOR and SIM_TIME_ORIGIN from SimClock.childEnv(); else it does nothing. Plain
// JavaScript without imports of ours, to be loaded into any Node before anything else.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";

const { SIM_TIME_FACTOR, SIM_TIME_ORIGIN } = process.env;

/** Node fires a longer timer at once, as a fault; AbortSignal.timeout takes up to the second. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_ABORT_MS = 2 ** 32 - 1;

if (SIM_TIME_FACTOR !== undefined || SIM_TIME_ORIGIN !== undefined) {
  const factor = readNumber("SIM_TIME_FACTOR", SIM_TIME_FACTOR);
  const origin = readNumber("SIM_TIME_ORIGIN", SIM_TIME_ORIGIN);
  // At factor 1 simulated time is real time.
  if (factor !== 1) install(factor, origin);
}

function readNumber(name, text) {
  const value = Number(text);
  // A process in the wrong time would prove nothing: better none.
  if (!(text && value > 0 && Number.isFinite(value))) throw new Error(`${name} must be a number above 0, not ${text}.`);
  return value;
}

function install(factor, origin) {
  const scaled = (ms, longest = LONGEST_TIMER_MS) => {
    // Node refuses the others, or turns them into 1 ms: that is left to it.
    if (typeof ms !== "number" || !(ms >= 1 && ms <= longest)) return ms;
    // One more, as Node's timers may be a millisecond early, which the factor would multiply.
    return Math.min(Math.ceil(ms / factor) + 1, longest);
  };
  scaleDate(factor, origin);
  scalePerformance(factor, origin);
  scaleTimers(scaled);
  const { timeout } = AbortSignal;
  define(AbortSignal, "timeout", (ms) => timeout.call(AbortSignal, scaled(ms, LONGEST_ABORT_MS)));
  // `import { setTimeout } from "node:timers/promises"` sees the new functions only after this.
  syncBuiltinESMExports();
}

function define(target, name, value) {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

function scaleDate(factor, origin) {
  const RealDate = Date;
  const realNow = RealDate.now;
  const now = () => Math.floor(origin + (realNow() - origin) * factor);
  // A proxy: parse, UTC, the prototype, instanceof and subclasses stay those of Date itself.
  const SimDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
  });
  Object.defineProperty(RealDate, "now", { value: now, writable: true, configurable: true });
  Object.defineProperty(RealDate.prototype, "constructor", { value: SimDate, writable: true, configurable: true });
  Object.defineProperty(globalThis, "Date", { value: SimDate, writable: true, configurable: true });
}

function scalePerformance(factor, origin) {
  const realNow = performance.now.bind(performance);
  const timeOrigin = origin + (performance.timeOrigin - origin) * factor;
  // Their sum stays Date.now().
  define(performance, "now", () => realNow() * factor);
  define(performance, "timeOrigin", timeOrigin);
}

function scaleTimers(scaled) {
  for (const name of ["setTimeout", "setInterval"]) {
    const real = timers[name];
    // Node's own Timeout object: undici and others call refresh(), ref() and unref() on it.
    const sim = (callback, ms, ...args) => real(callback, scaled(ms), ...args);
    define(timers, name, sim);
    Object.defineProperty(globalThis, name, { value: sim, writable: true, configurable: true, enumerable: true });
    const realPromise = timersPromises[name];
    define(timersPromises, name, (ms, value, options) => realPromise(scaled(ms), value, options));
  }
  Object.defineProperty(timers.setTimeout, promisify.custom, { get: () => timersPromises.setTimeout });
  const { scheduler } = timersPromises;
  const { wait } = scheduler;
  define(scheduler, "wait", (ms, options) => wait.call(scheduler, scaled(ms), options));
}

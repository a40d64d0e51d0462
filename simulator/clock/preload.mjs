// Makes a Node process live in simulated time: NODE_OPTIONS=--import=<this file's URL>, with
// SIM_TIME_FACTOR, SIM_TIME_ORIGIN, SIM_TIME_LIVED from SimClock.childEnv(); else it does nothing.
// Plain JavaScript without imports of ours, to be loaded into any Node before anything else.
import { openSync, readSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";

const { SIM_TIME_FACTOR, SIM_TIME_ORIGIN, SIM_TIME_LIVED } = process.env;

/** Node fires a longer timer at once, as a fault; AbortSignal.timeout takes up to the second. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_ABORT_MS = 2 ** 32 - 1;
/** As in lived-time.ts. */
const TICK_MS = 20;
const HELD_MS = 2 * TICK_MS;
const PAUSE_MS = 5;

if (SIM_TIME_FACTOR !== undefined || SIM_TIME_ORIGIN !== undefined) {
  const factor = readNumber("SIM_TIME_FACTOR", SIM_TIME_FACTOR);
  const origin = readNumber("SIM_TIME_ORIGIN", SIM_TIME_ORIGIN);
  // At factor 1 simulated time is real time.
  if (factor !== 1) install(factor, origin, livedTime(SIM_TIME_LIVED));
}

function readNumber(name, text) {
  const value = Number(text);
  // A process in the wrong time would prove nothing: better none.
  if (!(text && value > 0 && Number.isFinite(value))) throw new Error(`${name} must be a number above 0, not ${text}.`);
  return value;
}

/** Takes off real milliseconds since the epoch what the simulator, by a file, says was lost. */
function livedTime(path) {
  if (!path) return (realMs) => realMs;
  const realNow = performance.now.bind(performance);
  const file = openSync(path, "r");
  const text = Buffer.alloc(33);
  let [seen, lost] = [0, 0];
  let readAt = Number.NEGATIVE_INFINITY;
  return (realMs) => {
    if (realNow() - readAt >= PAUSE_MS) {
      readAt = realNow();
      readSync(file, text, 0, text.length, 0);
      [seen, lost] = text
        .toString()
        .split(" ")
        .map((us) => Number(us) / 1000);
    }
    return Math.min(realMs, seen + HELD_MS) - lost;
  };
}

function install(factor, origin, lived) {
  const simulated = (realMs) => origin + (lived(realMs) - origin) * factor;
  const now = scaleDate(simulated);
  scalePerformance(simulated);
  scaleTimers({ factor, now });
  // `import { setTimeout } from "node:timers/promises"` sees the new functions only after this.
  syncBuiltinESMExports();
}

function define(target, name, value) {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}

/** A clock that stands still rather than go back when more time turns out to be lost. */
function forward(read) {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, read());
    return latest;
  };
}

function scaleDate(simulated) {
  const RealDate = Date;
  const realNow = RealDate.now;
  const now = forward(() => Math.floor(simulated(realNow())));
  // A proxy: parse, UTC, the prototype, instanceof and subclasses stay those of Date itself.
  const SimDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
  });
  Object.defineProperty(RealDate, "now", { value: now, writable: true, configurable: true });
  Object.defineProperty(RealDate.prototype, "constructor", { value: SimDate, writable: true, configurable: true });
  Object.defineProperty(globalThis, "Date", { value: SimDate, writable: true, configurable: true });
  return now;
}

function scalePerformance(simulated) {
  const realNow = performance.now.bind(performance);
  const realOrigin = performance.timeOrigin;
  const timeOrigin = simulated(realOrigin);
  // Their sum stays Date.now().
  define(
    performance,
    "now",
    forward(() => simulated(realOrigin + realNow()) - timeOrigin),
  );
  define(performance, "timeOrigin", timeOrigin);
}

function scaleTimers({ factor, now }) {
  // Node refuses the others, or turns them into 1 ms: that is left to it.
  const isScaled = (ms, longest = LONGEST_TIMER_MS) => typeof ms === "number" && ms >= 1 && ms <= longest;
  // One more, as Node's timers may be a millisecond early, which the factor would multiply.
  const toReal = (ms) => Math.min(Math.ceil(ms / factor) + 1, LONGEST_TIMER_MS);
  const time = { now, isScaled, toReal };
  const { setTimeout, setInterval } = timers;
  const install = (name, scaled) => {
    define(timers, name, scaled);
    define(globalThis, name, scaled);
  };
  install("setTimeout", patient(setTimeout, { time, whenEarly: startAgain, whenDue: () => {} }));
  install("setInterval", patient(setInterval, { time, whenEarly: repeatAfter, whenDue: repeatAfter }));
  scalePromises(time);
  scaleAbort(isScaled);
}

/** Timers that are set again for as long as their simulated time is not up. */
function patient(real, { time: { now, isScaled, toReal }, whenEarly, whenDue }) {
  return (callback, ms, ...args) => {
    if (!isScaled(ms)) return real(callback, ms, ...args);
    let due = now() + ms;
    // Node's own Timeout object: undici and others call refresh(), ref() and unref() on it.
    const timer = real(() => {
      const left = due - now();
      // While time stands still nobody looks without a pause.
      if (left > 0) return whenEarly(timer, Math.max(toReal(left), PAUSE_MS));
      due = now() + ms;
      whenDue(timer, toReal(ms));
      callback.apply(timer, args);
    }, toReal(ms));
    define(timer, "refresh", () => {
      due = now() + ms;
      return startAgain(timer, toReal(ms));
    });
    return timer;
  };
}

function startAgain(timer, realMs) {
  timer._idleTimeout = realMs;
  return Object.getPrototypeOf(timer).refresh.call(timer);
}

function repeatAfter(timer, realMs) {
  timer._repeat = realMs;
}

function scalePromises({ isScaled, toReal, now }) {
  const real = timersPromises.setTimeout;
  const wait = async (ms, value, options) => {
    if (!isScaled(ms)) return real(ms, value, options);
    const due = now() + ms;
    await real(toReal(ms), undefined, options);
    for (let left = due - now(); left > 0; left = due - now()) {
      await real(Math.max(toReal(left), PAUSE_MS), undefined, options);
    }
    return value;
  };
  define(timersPromises, "setTimeout", wait);
  define(timersPromises, "setInterval", async function* (ms, value, options) {
    for (;;) yield wait(ms, value, options);
  });
  define(timersPromises.scheduler, "wait", (ms, options) => wait(ms, undefined, options));
  Object.defineProperty(timers.setTimeout, promisify.custom, { get: () => wait });
}

function scaleAbort(isScaled) {
  const { timeout } = AbortSignal;
  define(AbortSignal, "timeout", (ms) => {
    if (!isScaled(ms, LONGEST_ABORT_MS)) return timeout.call(AbortSignal, ms);
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    timers.setTimeout(() => controller.abort(reason), ms).unref();
    return controller.signal;
  });
}

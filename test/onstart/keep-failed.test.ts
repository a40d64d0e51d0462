import { eachMachine, type Life } from "./support/each-machine.ts";
import { FOREIGN_JOB, takesJob, waits } from "./support/listener.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";
import { deadlineIn } from "./support/test-machine.ts";

const ends = (result: string, job = takesJob()) => `${job}; echo 'Job test completed with result: ${result}'`;
const FAILS = ends("Failed");
const KEPT = "A job failed: kept for SSH for ";

/** A machine whose job fails, and which could run another one. */
const keptFor = (seconds: number, env: Life["env"] = {}) => ({
  runner: FAILS,
  env: { GHR_KEEP_FAILED: String(seconds), GHR_JIT_2: "two", ...env },
});
const notKept = (runner: string): Life => ({
  ...keptFor(6000),
  runner,
  calls: { listener: ["listener run", "listener run"] },
  neverSays: KEPT,
});

eachMachine({
  "keeps a machine whose job failed, which is not idle, starts no further runner, and says so": {
    ...keptFor(300, { GHR_IDLE_TIMEOUT: "0" }),
    neverSays: "No job for this machine",
    calls: { "listener DELETE": ["listener run", GIVEN_BACK] },
    says: [
      /kept for SSH for 300 s, or until \S+\/ghr\/done exists\.\n/,
      / ghr: The look is over\.\n.* ghr: Giving the machine back\.\n/,
    ],
  },
  "keeps it until somebody has looked": {
    ...keptFor(60_000),
    runner: `${FAILS}\n{ until [[ $(<log) == *"${KEPT}"* ]]; do sleep 1; done; : >done; } &`,
    says: "The look is over.",
    neverSays: "stopping the runner",
  },
  "keeps it at most to its deadline": { ...keptFor(6000, deadlineIn(240)), says: [KEPT, "Time is up after "] },
  "does not begin a new job nor a new look when the container is restarted": {
    ...keptFor(6000),
    restartAt: KEPT,
    calls: { listener: ["listener run"] },
    says: "This machine has had its turn.",
  },
  "keeps no machine when its job succeeded": notKept(ends("Succeeded")),
  "keeps no machine when its job was cancelled": notKept(ends("Canceled")),
  "keeps no machine when its runner failed without a job": notKept("exit 1"),
  "keeps no machine when it refused a foreign job": notKept(ends("Failed", takesJob(":", FOREIGN_JOB))),
  "keeps a machine only for its own last job: one that failed before a restart counts no more": {
    ...notKept(`[[ -e $ONSTART_TEST/second ]] && { ${takesJob()}; exit; }
: >"$ONSTART_TEST/second"; ${FAILS}; ${waits(7200)}`),
    restartAt: "completed with result: Failed",
  },
});

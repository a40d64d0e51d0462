import { expect } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { RAN_JOB } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";

eachMachine({
  "proves its key, starts one runner, gives the machine back after the job, and writes a log that a user can read": {
    calls: {
      // It goes on beside.
      download: ["download"],
      "GET PUT nvidia-smi listener job DELETE": [PROVEN, "nvidia-smi -L", "listener run", ...RAN_JOB, GIVEN_BACK],
    },
    check({ ownLines }) {
      // Whether it hears that it is destroyed before it is gone, nobody knows.
      const own = ownLines().filter((line) => !line.endsWith(" to DELETE."));
      expect(
        own.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /, "").replaceAll(/\d+ s\b/g, "N s")),
      ).toEqual([
        "ghr: The service answers 200 to PUT.",
        "ghr: The key works. Time is up after N s.",
        "ghr: The runner: download N s, unpacking N s.",
        "ghr: Ready to listen after N s: image N s, key N s, GPU N s, tools N s, runner N s, setup N s.",
        "ghr: Starting the runner.",
        "ghr: The runner ended with code 0.",
        "ghr: Giving the machine back.",
      ]);
    },
  },
  "shows no secret in any argument or file, and the runner gets none but its own": {
    ...{ tellsArguments: true, env: { GHR_JIT: "secret-1", GHR_JIT_2: "secret-2" } },
    calls: {},
    check({ env, read, service }) {
      const seen = read("argv.log") + read("calls.log") + read("log");
      expect(seen).toContain("curl -q");
      expect(seen).not.toContain(service.key);
      expect(seen).not.toContain("secret-");
      const given = read("listener.env");
      expect(given).toContain("ACTIONS_RUNNER_INPUT_JITCONFIG=secret-2\n");
      expect(given.match(/secret-/g)).toHaveLength(1);
      expect(given).toContain("RUNNER_ALLOW_RUNASROOT=1\n");
      expect(given).toContain(`PATH=${env.PATH}\n`);
      expect(given).not.toMatch(/^(GHR_|CONTAINER_API_KEY)/m);
    },
  },
});

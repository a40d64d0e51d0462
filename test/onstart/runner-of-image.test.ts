import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { RAN_JOB, RUNNER_FOLDER, runnerOfImage, takesJob } from "./support/listener.ts";

/** A job that tells from where its runner ran, and what that wrote into its folder. */
const TELLS_HOME = `call home "\${0#$ONSTART_TEST/}"; : >"\${0%/bin/*}/.runner"\n${takesJob()}`;

/** The runner of the image tells its version so. */
const notTaken = (version: string): Life => ({
  files: { "baked/bin/Runner.Listener": `#!/bin/bash\n[[ $1 == --version ]] && ${version}\n` },
  env: (folder) => ({ RUNNER_HOME: join(folder, "baked") }),
  calls: { "download job": ["download", ...RAN_JOB] },
});

eachMachine({
  "uses the image's runner of the offered version, and writes nothing into it": {
    ...{ env: runnerOfImage, files: { [`${RUNNER_FOLDER}/externals/node`]: "" }, runner: TELLS_HOME },
    calls: { "download listener home job": ["listener run", "home ghr/runner/bin/Runner.Listener", ...RAN_JOB] },
    says: /The image has runner 2\.337\.0 in \S+\/tarball; GitHub offers 2\.337\.0\.\n/,
    check({ folder }) {
      const home = join(folder, RUNNER_FOLDER);
      expect(existsSync(join(folder, "ghr/runner/.runner"))).toBe(true);
      expect(readlinkSync(join(folder, "ghr/runner/externals"))).toBe(join(home, "externals"));
      expect(readdirSync(home).sort()).toEqual(["bin", "externals"]);
    },
  },
  "needs no tar for the image's runner, where none can be had": {
    ...{ missing: ["tar"], commands: { "apt-get": "exit 100" }, env: runnerOfImage },
    calls: { "download job": RAN_JOB },
  },
  "downloads the runner when that of the image is of another version": notTaken("echo 2.330.0"),
  "downloads the runner when that of the image does not run": notTaken("exit 134"),
  "downloads the runner when that of the image says more than its version": notTaken("echo 2.337.0-rc"),
  "downloads the runner when its address tells no version": {
    ...notTaken("echo 2.337.0"),
    changesBefore: ({ env, service }) => Object.assign(env, { GHR_RUNNER_URL: `${service.url}/elsewhere` }),
  },
});

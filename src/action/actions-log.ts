import * as core from "@actions/core";
import { withoutCommands } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";

/** The log of the job. No foreign text in it can become a workflow command. */
export const actionsLog: Log = {
  info: (line) => core.info(withoutCommands(line)),
  warning: (line) => core.warning(withoutCommands(line)),
  async stage(title, work) {
    core.startGroup(withoutCommands(title));
    try {
      return await work();
    } finally {
      core.endGroup();
    }
  },
};

import type { Route } from "../http/route.ts";
import { addRun } from "./add-run.ts";
import { changeJob } from "./change-job.ts";
import { blob, download } from "./download.ts";
import { dropRunner } from "./drop-runner.ts";
import { jobLog } from "./job-log.ts";
import { setFaults } from "./set-faults.ts";
import { showCounted } from "./show-counted.ts";
import { showJournal } from "./show-journal.ts";
import { showRunners } from "./show-runners.ts";
import { showRuns } from "./show-runs.ts";

/** All paths without a key: for tests, scripts and people on the same computer. */
export const CONTROL_ROUTES: readonly Route[] = [
  ...[addRun, showRuns, changeJob],
  ...[showRunners, dropRunner],
  ...[showJournal, showCounted, setFaults],
  ...[download, blob, jobLog],
];

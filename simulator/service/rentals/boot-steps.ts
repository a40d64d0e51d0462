import type { StatusStep } from "../../scenario/simulate.ts";
import type { Dialect } from "../traffic/dialect.ts";

/** A boot without a word in the scenario: some simulated seconds, in the order that was seen. */
export function defaultBoot(dialect: Dialect, image: string): StatusStep[] {
  if (dialect === "seed") {
    return [
      { after: 0, actual_status: null },
      { after: 2, actual_status: "loading" },
      { after: 5, actual_status: "running" },
    ];
  }
  return [
    { after: 0, actual_status: null },
    { after: 1, actual_status: "created" },
    { after: 2, actual_status: "loading", status_msg: "5a7813e071bf: Pulling fs layer \n" },
    { after: 4, actual_status: "loading", status_msg: "5a7813e071bf: Pull complete \n" },
    { after: 5, actual_status: "running", status_msg: runningMessage(image) },
  ];
}

/** From stopped back to running; the old status is shown for a while, as was seen. */
export function restartSteps(stoppedStatus: string, image: string): StatusStep[] {
  return [
    { after: 0, actual_status: stoppedStatus },
    { after: 1, actual_status: "loading" },
    { after: 3, actual_status: "running", status_msg: runningMessage(image) },
  ];
}

function runningMessage(image: string): string {
  return `success, running ${image.replaceAll(/[^A-Za-z0-9.]/g, "_")}/ssh`;
}

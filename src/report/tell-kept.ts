import type { InputValues } from "../action/input-schema.ts";
import { sshAddress } from "../create/instance.ts";
import { destroyAt } from "../fleet/plan/plan-machines.ts";
import type { Fleet } from "../fleet/state/fleet.ts";
import type { Machine } from "../fleet/state/machine.ts";
import type { FleetOptions } from "../fleet/state/policy.ts";
import { priceNow } from "../fleet/state/rental.ts";
import { isAlive } from "../fleet/state/stage.ts";
import { formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";

/** Tells once of each machine kept by `keep-failed`: how to log in, until when, at what cost. */
export class KeptTeller {
  readonly #told = new Set<number>();

  look({ machines }: Readonly<Fleet>, policy: FleetOptions, runtype: InputValues["runtype"], log: Log): void {
    if (policy.keepFailedMs === 0) return;
    for (const machine of machines) {
      const until = destroyAt(machine, policy);
      if (this.#told.has(machine.n) || !isAlive(machine) || !Number.isFinite(until)) continue;
      const failed = machine.uses.find(({ job }) => job?.hasFailed)?.job;
      if (failed === undefined) continue;
      this.#told.add(machine.n);
      log.warning(keptSentence(machine, failed.name, until, runtype));
    }
  }
}

function keptSentence(machine: Machine, job: string, until: number, runtype: InputValues["runtype"]): string {
  const { address, instanceId, n } = machine;
  const { host, port } = sshAddress(address, runtype);
  const login =
    host === ""
      ? `The service shows no address of instance ${instanceId}; its console does`
      : `ssh -p ${oneLine(port, 10)} root@${oneLine(host, 100)} (the account's SSH keys are on it)`;
  return (
    `Machine ${n} is kept for a look, as '${oneLine(job, 100)}' failed on it: ${login}. ` +
    `It costs ${formatPrice(priceNow(machine) / 60)} a minute, until ${new Date(until).toISOString()} or until /opt/ghr/done exists on it.`
  );
}

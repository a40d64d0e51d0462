import type { MachineBehaviour } from "../../scenario/behaviour.ts";

/** A container's start; `env` is all that a real container would see. */
export interface MachineStart {
  instanceId: number;
  onstart: string;
  env: Record<string, string>;
  image: string;
  behaviour: MachineBehaviour;
  /** Who may log in, and at which ports; undefined where its runtype has no SSH. */
  ssh?: { keys: readonly string[]; ports: readonly number[] } | undefined;
}

/** Runs the containers of instances. Calls for one instance never come two at once. */
export interface MachineHost {
  /** Starts the container of an instance that runs; its onstart runs again at every start. */
  start(machine: MachineStart): void;
  /** The container ends; its disk stays, and it may be started again. */
  stop(instanceId: number): Promise<void>;
  /** The container ends and its disk is removed. */
  destroy(instanceId: number): Promise<void>;
  /** Output so far of the container's first process; a host may keep nothing. */
  containerLog?(instanceId: number): string;
  /** The address at which people log in to a machine; undefined where nobody can. */
  sshHost?(instanceId: number): string | undefined;
  /** Lets a public key log in to a machine from now on. */
  allowSshKey?(instanceId: number, key: string): void;
  /** Lets a public key log in no more. */
  forbidSshKey?(instanceId: number, key: string): void;
}

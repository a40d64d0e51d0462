/** The body of *create instance*, as far as this action sends it. Names, units and rules as in the specification. */
export interface InstanceConfig {
  image: string;
  label: string;
  /** GB. */
  disk: number;
  runtype: "ssh_proxy";
  target_state: "running";
  /** Names to values; never a flag string (Create rule 4). */
  env: Record<string, string>;
  /** At most 4048 characters. */
  onstart: string;
  /** Always true: without it a machine that can't be had becomes a stopped instance that bills its disk. */
  cancel_unavail: true;
}

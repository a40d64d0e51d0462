/** The body of *create instance*, as far as this action sends it. Names, units and rules as in the specification. */
export interface InstanceConfig {
  /** Left out where a template brings one. */
  image?: string;
  template_hash_id?: string;
  /** `-u <username> -p <access_token> <registry>`: a secret. */
  image_login?: string;
  label: string;
  /** GB. */
  disk: number;
  runtype: "ssh_proxy" | "ssh_direct";
  target_state: "running";
  /** Names to values; never a flag string (Create rule 4). */
  env: Record<string, string>;
  /** At most 4048 characters. */
  onstart: string;
  /** Always true: without it a machine that can't be had becomes a stopped instance that bills its disk. */
  cancel_unavail: true;
}

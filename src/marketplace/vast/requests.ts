// The bodies of requests, in the specification's words and units.

import type { FieldFilter, LogRequest, OfferQuery } from "../marketplace.ts";
import type { templateSchema } from "./schemas.ts";

/** A search: filters by field, and the form of the answer. */
export interface WireQuery extends Pick<OfferQuery, "filters" | "order" | "limit"> {
  type: "on-demand" | "bid";
  /** The disk in GB that `dph_total` shall include. Not in the specification; the service's own clients send it. */
  allocated_storage?: number;
}

/** The runtypes with SSH or Jupyter. An instance has ports with the direct ones only. */
type SshRuntype = "ssh_direct" | "ssh_proxy" | "ssh";
type JupyterRuntype = "jupyter_direct" | "jupyter_proxy" | "jupyter";

/**
 * How the container is launched. With `args` the image's entrypoint runs, without SSH or Jupyter; any other runtype
 * puts the service's in its place. Without one the template's counts, or the service's default.
 */
type Launch =
  | { runtype: "args" /** Replaces the image's CMD. */; args_str?: string }
  | { runtype?: SshRuntype }
  | {
      runtype: JupyterRuntype;
      /** JupyterLab instead of Jupyter Notebook. */
      use_jupyter_lab?: boolean;
      jupyter_dir?: string;
    };

/** The volume of an instance. A new volume outlives the instance, and bills until it is deleted. */
type VolumeInfo =
  | { create_new: false /** An existing volume of the same machine. */; volume_id: number; mount_path: string }
  | {
      create_new: true /** A volume offer of the same machine. */;
      volume_id: number /** GB. */;
      size: number;
      mount_path: string;
    };

/** The body of *create instance*. Names, units and rules are the specification's. */
export type InstanceConfig = Launch & {
  /** Left out only where a template brings one. */
  image?: string;
  template_hash_id?: string;
  /** `-u <username> -p <access_token> <registry>`: a secret. */
  image_login?: string;
  label?: string;
  /** GB; the service's default is 8. */
  disk?: number;
  /** Default running. */
  target_state?: "running" | "stopped";
  /** The bid in USD per hour; sent for interruptible instances only. */
  price?: number;
  /** Names to values; ports as `"-p 8000:8000": "1"`; never a flag string (specification, Create rule 4). */
  env?: Record<string, string>;
  /** At most 4048 characters. */
  onstart?: string;
  python_utf8?: boolean;
  lang_utf8?: boolean;
  /** Whether to refuse if the machine can't be had. False, a bid's default: makes a stopped instance, which bills. */
  cancel_unavail?: boolean;
  /** A virtual machine instead of a container; needs an SSH key in the account. */
  vm?: boolean;
  volume_info?: VolumeInfo;
};

/** A request for the last lines of a log. */
export type WireLogRequest = Omit<LogRequest, "lines"> & { tail: number };

/**
 * Filters of a search for templates, by the fields that they show: `{<field>: {<operator>: <value>}}`. All must hold.
 * The specification names those by which the service filters.
 */
export type TemplateFilters = { readonly [field in keyof typeof templateSchema.shape]?: FieldFilter };

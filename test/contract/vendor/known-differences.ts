/** A difference of the simulator (and, if known, the service) from the description, and why. */
export interface KnownDifference {
  readonly operations: readonly string[];
  readonly status: number;
  /** As `differences()` says it. */
  readonly says: readonly string[];
  readonly why: string;
  /** The description's form of what stands there: the client must read it as well. */
  readonly theirs?: { readonly at: readonly string[]; readonly value: unknown };
  /** The description shows some of the fields for all: the others are no difference of form. */
  readonly isSketch?: true;
}

const INSTANCE_LISTS =
  "what it shows of an instance differs between the list and the single one, and both lack columns";
const OBSERVED = "seen in answers of the service, or read by its own clients";
const SKETCH = "it shows id, name and hash of a template and says that there is more; searching shows the rest";

/** Fields that the description does not name. */
const unnamed = (place: string, names: string) => names.split(" ").map((name) => `${place}/${name} is not named`);
const LINE = "inet_down inet_down_billed inet_down_cost inet_up inet_up_billed inet_up_cost";
const TEMPLATE =
  "args_str count_created created_at creator_id default_tag desc docker_login_repo env extra_filters href jup_direct " +
  "jupyter_dir onstart private readme readme_visible recent_create_date recommended recommended_disk_space repo runtype " +
  "ssh_direct tag use_jupyter_lab use_ssh volume_info";

/** Fields that the description names and the simulator has nowhere. */
const unshown = (place: string, names: string) => names.split(" ").map((name) => `${place}/${name} is never shown`);
const COLUMNS = "no client here asks for it: of the machine, as its offer has it, or of the vendor's own housekeeping";
const INSTANCE_HAS_MORE =
  "machine_dir_ssh_port cpu_arch cpu_cores_effective cpu_name gpu_arch " +
  "gpu_frac gpu_lanes gpu_mem_bw bw_nvlink disk_name disk_bw rentable dlperf dlperf_per_dphtotal " +
  "flops_per_dphtotal total_flops score os_version mobo_name pci_gen pcie_bw webpage search instance " +
  "vram_costperhour credit_balance credit_discount credit_discount_max client_run_time host_run_time external " +
  "time_remaining time_remaining_isbid";
const OFFER_HAS_MORE =
  "bundled_results bw_nvlink cpu_ghz cpu_name credit_discount_max disk_name driver_vers flops_per_dphtotal " +
  "geolocode gpu_ids gpu_lanes gpu_mem_bw gpu_max_temp hostname logo reliability_mult total_flops " +
  "vram_costperhour expected_reliability is_vm_deverified avail_vol_ask_id avail_vol_dph avail_vol_size " +
  "nw_disk_min_bw nw_disk_max_bw nw_disk_avg_bw rn dph_total_adj discount_rate discounted_hourly search " +
  "instance time_remaining_isbid internet_up_cost_per_tb internet_down_cost_per_tb";

/** A difference of these operations at a status, as "createInstance 200". */
function known(
  where: string,
  says: string | readonly string[],
  why: string,
  more: Pick<KnownDifference, "theirs" | "isSketch"> = {},
): KnownDifference {
  const [status, ...operations] = where.split(" ").toReversed();
  return { operations, status: Number(status), says: typeof says === "string" ? [says] : says, why, ...more };
}

/** All that is known. One that is not met any more fails the suite as well as one that is new. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  known(
    "createInstance 200",
    "/instance_api_key is not named",
    "the seed promises it, and the machine's guard lives on it",
  ),
  known(
    "showInstances 200",
    unnamed("/instances/*", `bundle_id cuda_max_good driver_version hosting_type ${LINE}`),
    INSTANCE_LISTS,
  ),
  known("showInstance 200", unnamed("/instances", `cuda_max_good driver_version ${LINE} volume_info`), INSTANCE_LISTS),
  known(
    "showInstance 200",
    "/instances must be object, not null",
    "null for one that is gone: the official command line and the vendor's own tests count on it",
  ),
  known(
    "showInstance 200",
    "/instances/ports must be array, not object",
    "an object as Docker has it: the vendor's tests and other clients read it, one measured it",
    { theirs: { at: ["instances", "ports"], value: [22, 8080] } },
  ),
  known(
    "rebootInstance recycleInstance 404",
    "no such status",
    "an instance that is not there is a 404 in every other operation that names one",
  ),
  known(
    "showUser 200",
    unnamed(
      "",
      "balance_threshold balance_threshold_enabled billed_expected can_pay credit email_verified fullname has_billing username",
    ),
    OBSERVED,
  ),
  known("showApiKeys 200", unnamed("/apikeys/*", "key key_type name permissions team_owner"), OBSERVED),
  known("createTemplate editTemplate 200", unnamed("/template", `${TEMPLATE} image`), SKETCH, { isSketch: true }),
  known("editTemplate 200", unnamed("/template", "name"), SKETCH, { isSketch: true }),
  known("searchTemplates 200", unnamed("/templates/*", `${TEMPLATE} hash_id`), SKETCH, { isSketch: true }),
  known("searchVolumes 200", unnamed("/offers/*", "public_ipaddr score"), OBSERVED),
  known("rentVolume 200", "/volume_id is not named", OBSERVED),
  known(
    "listVolumes 200",
    unnamed("/volumes/*", "cluster_id geolocation label name reliability storage_cost"),
    OBSERVED,
  ),
  known(
    "listVolumes 200",
    "/volumes/*/instances/* must be object, not number",
    "numbers of instances: the official command line joins them with commas",
    { theirs: { at: ["volumes", "*", "instances"], value: [{ id: 7 }] } },
  ),
  known("showInstances 200", unshown("/instances/*", `${INSTANCE_HAS_MORE} country_code`), COLUMNS),
  known("showInstance 200", unshown("/instances", `${INSTANCE_HAS_MORE} logo`), COLUMNS),
  known("searchOffers 200", unshown("/offers/*", OFFER_HAS_MORE), COLUMNS),
  known(
    "searchVolumes 200",
    unshown(
      "/offers/*",
      "bundle_id cpu_name driver_vers end_date geolocode mobo_name reliability_mult start_date storage_total_cost vericode vms_enabled",
    ),
    COLUMNS,
  ),
  known(
    "listVolumes 200",
    unshown("/volumes/*", "cuda_max_good cpu_name mobo_name storage_total_cost os_version static_ip cpu_arch"),
    COLUMNS,
  ),
  known(
    "showCharges 200",
    unshown("/results/*/metadata", "endpoint_id workergroup_id"),
    "of its serverless machines, which are not simulated",
  ),
  known("destroyInstance 200", "/msg is never shown", "it says itself: optional"),
  known("listVolumes 401", "/detail is never shown", "the words of every other operation's 401"),
  known(
    "createInstance 403",
    "/ask_id is never shown",
    "its 403 is of an offer on a host's own machines; here it is the key's, before the offer is looked at",
  ),
  known(
    "createInstance 400",
    "/error can't be insufficient_credit",
    "the word for no credit in several clients' logs; it names none for that",
  ),
  known(
    "createApiKey 400",
    "/error can't be invalid_args",
    "a key without a name: both of its words are about permissions",
  ),
  known(
    "showLogs editTemplate deleteTemplate rentVolume 400",
    "no such status",
    "a request that can't be carried out is a 400 in its other operations, and it has to be told somehow",
  ),
  known(
    "rentVolume 404",
    "no such status",
    "it describes no refusal at all; room that is gone, as an offer that is gone",
  ),
];

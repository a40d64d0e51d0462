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

/** All that is known. One that is not met any more fails the suite as well as one that is new. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    operations: ["createInstance"],
    status: 200,
    says: ["/instance_api_key is not named"],
    why: "the seed promises it, and the machine's guard lives on it",
  },
  {
    operations: ["showInstances"],
    status: 200,
    says: unnamed("/instances/*", `bundle_id cuda_max_good driver_version hosting_type ${LINE}`),
    why: INSTANCE_LISTS,
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: unnamed("/instances", `cuda_max_good driver_version ${LINE} volume_info`),
    why: INSTANCE_LISTS,
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: ["/instances must be object, not null"],
    why: "null for one that is gone: the official command line and the vendor's own tests count on it",
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: ["/instances/ports must be array, not object"],
    why: "an object as Docker has it: the vendor's tests and other clients read it, one measured it",
    theirs: { at: ["instances", "ports"], value: [22, 8080] },
  },
  {
    operations: ["rebootInstance", "recycleInstance"],
    status: 404,
    says: ["no such status"],
    why: "an instance that is not there is a 404 in every other operation that names one",
  },
  {
    operations: ["showUser"],
    status: 200,
    says: unnamed(
      "",
      "balance_threshold balance_threshold_enabled billed_expected can_pay credit email_verified fullname has_billing username",
    ),
    why: OBSERVED,
  },
  {
    operations: ["showApiKeys"],
    status: 200,
    says: unnamed("/apikeys/*", "key key_type name permissions team_owner"),
    why: OBSERVED,
  },
  {
    operations: ["createTemplate", "editTemplate"],
    status: 200,
    says: unnamed("/template", `${TEMPLATE} image`),
    why: SKETCH,
    isSketch: true,
  },
  { operations: ["editTemplate"], status: 200, says: unnamed("/template", "name"), why: SKETCH, isSketch: true },
  {
    operations: ["searchTemplates"],
    status: 200,
    says: unnamed("/templates/*", `${TEMPLATE} hash_id`),
    why: SKETCH,
    isSketch: true,
  },
  {
    operations: ["searchVolumes"],
    status: 200,
    says: unnamed("/offers/*", "public_ipaddr score"),
    why: OBSERVED,
  },
  { operations: ["rentVolume"], status: 200, says: ["/volume_id is not named"], why: OBSERVED },
  {
    operations: ["listVolumes"],
    status: 200,
    says: unnamed("/volumes/*", "cluster_id geolocation label name reliability storage_cost"),
    why: OBSERVED,
  },
  {
    operations: ["listVolumes"],
    status: 200,
    says: ["/volumes/*/instances/* must be object, not number"],
    why: "numbers of instances: the official command line joins them with commas",
    theirs: { at: ["volumes", "*", "instances"], value: [{ id: 7 }] },
  },
  {
    operations: ["showInstances"],
    status: 200,
    says: unshown("/instances/*", `${INSTANCE_HAS_MORE} country_code`),
    why: COLUMNS,
  },
  { operations: ["showInstance"], status: 200, says: unshown("/instances", `${INSTANCE_HAS_MORE} logo`), why: COLUMNS },
  { operations: ["searchOffers"], status: 200, says: unshown("/offers/*", OFFER_HAS_MORE), why: COLUMNS },
  {
    operations: ["searchVolumes"],
    status: 200,
    says: unshown(
      "/offers/*",
      "bundle_id cpu_name driver_vers end_date geolocode mobo_name reliability_mult start_date storage_total_cost vericode vms_enabled",
    ),
    why: COLUMNS,
  },
  {
    operations: ["listVolumes"],
    status: 200,
    says: unshown("/volumes/*", "cuda_max_good cpu_name mobo_name storage_total_cost os_version static_ip cpu_arch"),
    why: COLUMNS,
  },
  {
    operations: ["showCharges"],
    status: 200,
    says: unshown("/results/*/metadata", "endpoint_id workergroup_id"),
    why: "of its serverless machines, which are not simulated",
  },
  { operations: ["destroyInstance"], status: 200, says: ["/msg is never shown"], why: "it says itself: optional" },
  {
    operations: ["listVolumes"],
    status: 401,
    says: ["/detail is never shown"],
    why: "the words of every other operation's 401",
  },
  {
    operations: ["createInstance"],
    status: 403,
    says: ["/ask_id is never shown"],
    why: "its 403 is of an offer on a host's own machines; here it is the key's, before the offer is looked at",
  },
  {
    operations: ["createInstance"],
    status: 400,
    says: ["/error can't be insufficient_credit"],
    why: "the word for no credit in several clients' logs; it names none for that",
  },
  {
    operations: ["createApiKey"],
    status: 400,
    says: ["/error can't be invalid_args"],
    why: "a key without a name: both of its words are about permissions",
  },
  {
    operations: ["showLogs", "editTemplate", "deleteTemplate", "rentVolume"],
    status: 400,
    says: ["no such status"],
    why: "a request that can't be carried out is a 400 in its other operations, and it has to be told somehow",
  },
  {
    operations: ["rentVolume"],
    status: 404,
    says: ["no such status"],
    why: "it describes no refusal at all; room that is gone, as an offer that is gone",
  },
];

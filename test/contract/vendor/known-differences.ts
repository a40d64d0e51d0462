/** A difference of the simulator (and, if known, the service) from the description, and why. */
export interface KnownDifference {
  readonly operations: readonly string[];
  readonly status: number;
  /** As `differences()` says it. */
  readonly says: readonly string[];
  readonly why: string;
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

/** A difference of these operations at a status, as "createInstance 200". */
function known(where: string, says: string | readonly string[], why: string): KnownDifference {
  const [status, ...operations] = where.split(" ").toReversed();
  return { operations, status: Number(status), says: typeof says === "string" ? [says] : says, why };
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
  known("createTemplate editTemplate 200", unnamed("/template", `${TEMPLATE} image`), SKETCH),
  known("editTemplate 200", unnamed("/template", "name"), SKETCH),
  known("searchTemplates 200", unnamed("/templates/*", `${TEMPLATE} hash_id`), SKETCH),
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

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
const OF_OFFER =
  "cuda_max_good driver_version inet_down inet_down_billed inet_down_cost inet_up inet_up_billed inet_up_cost";
const TEMPLATE =
  "args_str count_created created_at creator_id default_tag desc docker_login_repo env extra_filters href jup_direct " +
  "jupyter_dir onstart private readme readme_visible recent_create_date recommended recommended_disk_space repo runtype " +
  "ssh_direct tag use_jupyter_lab use_ssh volume_info";

/** A difference of these operations at a status, as "createInstance 200". */
function known(where: string, says: string | readonly string[], why: string): KnownDifference {
  const [status, ...operations] = where.split(" ").toReversed();
  return { operations, status: Number(status), says: typeof says === "string" ? [says] : says, why };
}

const REFUSED = "the word for no credit in several clients' logs; it names none for that";
const UNTOLD = "a request that can't be carried out is a 400 in its other operations, and it has to be told somehow";
const GONE = "null for one that is gone: the official command line and the vendor's own tests count on it";
const PORTS = "an object as Docker has it: the vendor's tests and other clients read it, one measured it";
const USER =
  "balance_threshold balance_threshold_enabled billed_expected can_pay credit email_verified fullname has_billing username";
const VOLUME = "cluster_id geolocation label name reliability storage_cost";

/** All that is known. One that is not met any more fails the suite as well as one that is new. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  known("createInstance 200", "/instance_api_key is not named", "the seed promises it; the machine's guard needs it"),
  known("createInstance 400", "/error can't be insufficient_credit", REFUSED),
  known("showInstances 200", unnamed("/instances/*", `bundle_id hosting_type ${OF_OFFER}`), INSTANCE_LISTS),
  known("showInstance 200", unnamed("/instances", `${OF_OFFER} volume_info`), INSTANCE_LISTS),
  known("showInstance 200", "/instances must be object, not null", GONE),
  known("showInstance 200", "/instances/ports must be array, not object", PORTS),
  known("rebootInstance recycleInstance 404", "no such status", "a 404 in every other operation that names one"),
  known("showUser 200", unnamed("", USER), OBSERVED),
  known("createApiKey 400", "/error can't be invalid_args", "a key without a name: both words are about permissions"),
  known("showApiKeys 200", unnamed("/apikeys/*", "key key_type name permissions team_owner"), OBSERVED),
  known("createTemplate editTemplate 200", unnamed("/template", `${TEMPLATE} image`), SKETCH),
  known("editTemplate 200", unnamed("/template", "name"), SKETCH),
  known("searchTemplates 200", unnamed("/templates/*", `${TEMPLATE} hash_id`), SKETCH),
  known("searchVolumes 200", unnamed("/offers/*", "public_ipaddr score"), OBSERVED),
  known("rentVolume 200", "/volume_id is not named", OBSERVED),
  known("rentVolume 404", "no such status", "it describes no refusal; room that is gone, as an offer that is gone"),
  known("listVolumes 200", unnamed("/volumes/*", VOLUME), OBSERVED),
  known("listVolumes 200", "/volumes/*/instances/* must be object, not number", "the official client joins numbers"),
  known("showLogs editTemplate deleteTemplate rentVolume 400", "no such status", UNTOLD),
];

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
    operations: ["showInstances"],
    status: 200,
    says: ["/instances/*/jupyter_token must be string"],
    why: "null where no Jupyter runs; both of its examples show a token, of which nothing says that it is for all",
    theirs: { at: ["instances", "*", "jupyter_token"], value: "0123456789abcdef" },
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: ["/instances/jupyter_token must be string"],
    why: "null as in the list",
    theirs: { at: ["instances", "jupyter_token"], value: "0123456789abcdef" },
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: ["/instances must be object"],
    why: "null for one that is gone: the official command line and the vendor's own tests count on it",
  },
  {
    operations: ["showInstance"],
    status: 200,
    says: ["/instances/ports must be array"],
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
    operations: ["getSshKeysUser"],
    status: 200,
    says: ["/*/created_at must be string"],
    why: "a number, as was seen",
    theirs: { at: ["*", "created_at"], value: "2026-08-01T12:00:00Z" },
  },
  {
    operations: ["showApiKeys"],
    status: 200,
    says: unnamed("/apikeys/*", "key key_type name permissions team_owner"),
    why: OBSERVED,
  },
  {
    operations: ["showApiKeys"],
    status: 200,
    says: ["/apikeys/*/team_id must be integer"],
    why: "null in an account without a team",
    theirs: { at: ["apikeys", "*", "team_id"], value: 789 },
  },
  {
    operations: ["showApiKeys"],
    status: 200,
    says: ["/apikeys/*/team_name must be string"],
    why: "as its number",
    theirs: { at: ["apikeys", "*", "team_name"], value: "Team Alpha" },
  },
  {
    operations: ["showApiKeys"],
    status: 200,
    says: ["/apikeys/*/rights must be string"],
    why: "the permissions as an object, the form in which they are given; its text is not explained",
    theirs: { at: ["apikeys", "*", "rights"], value: '{"api": {"misc": {}}}' },
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
    says: ["/volumes/*/instances/* must be object"],
    why: "numbers of instances: the official command line joins them with commas",
    theirs: { at: ["volumes", "*", "instances"], value: [{ id: 7 }] },
  },
  {
    operations: ["showTeamMembers"],
    status: 200,
    says: ["/*/fullname must be string"],
    why: "null where nobody gave one; its other descriptions of a user let it be null",
    theirs: { at: ["*", "fullname"], value: "Ada Lovelace" },
  },
];

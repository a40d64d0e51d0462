import { z } from "zod";
import { DrawnMarket } from "../service/catalog/drawn-market.ts";
import { HostModel } from "../service/catalog/host-model.ts";
import { Template } from "../service/catalog/template.ts";
import { ImageLogin } from "../service/rentals/image-login.ts";
import { MachineBehaviour } from "./behaviour.ts";
import { MarketOffer } from "./market-offer.ts";
import { PERMISSIONS } from "./permission.ts";
import { RegistryScenario } from "./registry-scenario.ts";
import { SERVICE_OPERATIONS } from "./service-operation.ts";
import { TeamMember } from "./team.ts";
import { GivenVolume, VolumeOffer } from "./volume-scenario.ts";

const seconds = z.number().min(0);

/** One step of an instance's boot: `after` seconds from the start of the boot it shows this status. */
export const StatusStep = z.strictObject({
  after: seconds,
  actual_status: z.string().nullable(),
  status_msg: z.string().nullable().optional(),
});

/** One step of an instance's boot. */
export type StatusStep = z.infer<typeof StatusStep>;

const StatusSteps = z
  .array(StatusStep)
  .min(1)
  .refine((steps) => steps.every(({ after }, index) => after >= (steps[index - 1]?.after ?? 0)), {
    error: "the steps must be in the order of `after`",
  });

/** What an instance moves over its host's line. GB are of a thousand million bytes. */
export const Traffic = z.strictObject({
  /** What the image makes it download before its container is up for the first time. */
  imageGb: z.number().min(0).default(0),
  /** While its container is up. */
  downGbPerHour: z.number().min(0).default(0),
  upGbPerHour: z.number().min(0).default(0),
});

/** What an instance moves over its host's line. */
export type Traffic = z.output<typeof Traffic>;

/** What stands behind an offer, which no search shows. */
export const Simulate = z.strictObject({
  /** The boot of an instance from its creation; the last step stays, so one that ends with loading is stuck there. */
  statuses: StatusSteps.optional(),
  machine: MachineBehaviour.optional(),
  /** Draws boots and what is broken; `statuses`, `machine` and `traffic` win over what is drawn. */
  model: HostModel.optional(),
  /** The host has the image already: it boots in 30 to 60 s and downloads nothing. */
  hasImage: z.boolean().optional(),
  /** Without it an instance moves nothing, and shows nothing of it. */
  traffic: Traffic.optional(),
  /** Someone else has the machine though search still shows the offer. */
  unavailable: z.boolean().optional(),
  /** Another create that comes within so many seconds is taken, too; its container finds the ports of the first one bound. */
  takenTwiceWithin: seconds.optional(),
  /** Somebody bids more, so many seconds after the creation of an instance: it is stopped if it is interruptible. */
  outbidAfter: seconds.optional(),
  /** What the container gets as CONTAINER_API_KEY: its own key (default), none, or one that the service refuses. */
  instanceKey: z.enum(["valid", "missing", "wrong"]).optional(),
});

/** What stands behind an offer. */
export type Simulate = z.infer<typeof Simulate>;

const matching = {
  operation: z.enum(SERVICE_OPERATIONS),
  /** The first matching request that is hit, counted from 1 (default 1). */
  nth: z.int().positive().optional(),
  /** How many matching requests in a row are hit (default: 1 with `nth`, else all). */
  times: z.int().positive().optional(),
  /** Only requests for this offer. */
  offer: z.int().optional(),
  /** Only requests for this instance. */
  instance: z.int().optional(),
  /** Only requests with a key of the account, or only those with an instance's own key. */
  caller: z.enum(["account", "instance"]).optional(),
};
const when = z.enum(["before", "after"]).optional();

function fault<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.strictObject({ ...matching, kind: z.literal(kind), ...shape });
}

/**
 * What goes wrong with a request. `when` says whether the request has taken effect by then (default before).
 * Several faults may hit one request: all delays, the first of those that shape the answer, and all the others.
 */
export const Fault = z.discriminatedUnion("kind", [
  /** The connection is destroyed; nothing happens. */
  fault("refuse", {}),
  /** It takes effect, then the connection is destroyed without an answer. */
  fault("lose-answer", {}),
  /** The connection stays open without an answer. */
  fault("never-answer", { when }),
  /** This status and JSON body instead of the answer. */
  fault("status", { status: z.int().min(200).max(599), body: z.unknown().optional(), when }),
  /** This text instead of the answer, as text/plain. */
  fault("text", { text: z.string(), status: z.int().min(200).max(599).optional(), when }),
  /** It takes effect; only the first bytes of the answer arrive, then the connection is destroyed. */
  fault("truncate", { bytes: z.int().min(0) }),
  /** It takes effect; its answer arrives bit by bit over so many seconds. */
  fault("drip", { seconds }),
  /** It takes effect, or with `when: "after"` only its answer is sent, so many seconds later. */
  fault("delay", { seconds, when }),
  /** Create only: the answer is lost at once, and the instance comes to exist so many seconds later. */
  fault("late-create", { seconds }),
  /** Create only: the offer is gone, in one of the four forms that were seen of the service (default 404). */
  fault("offer-gone", { form: z.enum(["404", "410", "400", "200"]).optional() }),
  /** Create only: an error that still carries `new_contract` of a stopped instance (default status 400). */
  fault("error-with-contract", { status: z.int().min(400).max(599).optional() }),
  /** Create only: the account lacks credit. */
  fault("no-credit", {}),
  /** Create only: an image without tag or digest makes the service fail with 500. */
  fault("untagged-image", {}),
  /** Create only: list and get show the instance only after so many seconds. */
  fault("visibility-lag", { seconds }),
  /** Its JSON answer carries junk: these columns of each row are a bare NaN, those are left out. */
  fault("junk", { nan: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) }),
  /** Start only: the GPUs are taken, so the answer says no, and yet the start comes so many seconds later unless a stop cancels it. */
  fault("start-queued", { seconds }),
  /** List only: it shows what there was so many seconds ago, in the state of then. */
  fault("stale-list", { seconds }),
  /** The list without pages only: it is there no more, 410. */
  fault("deprecated", {}),
  /** List in pages only: whatever page is asked for, the first one comes, and it names a next one. */
  fault("repeat-page", {}),
  /** Search only: these filters are not applied. */
  fault("ignore-filters", { keys: z.array(z.string()).min(1) }),
]);

/** One fault, as tests and scenario files write it. */
export type Fault = z.infer<typeof Fault>;

const OfferGiven = MarketOffer.partial().required({ id: true }).extend({ simulate: Simulate.optional() });

/** One simulated world: JSON; everything has a default, and an unknown key is refused. */
export const Scenario = z.strictObject({
  /** What it shows, for people. */
  about: z.string().optional(),
  /** The market instead of the default one; fields left out are those of a plain RTX 4090. */
  offers: z.array(OfferGiven).optional(),
  /** A market that is drawn, instead of `offers`. */
  market: DrawnMarket.optional(),
  faults: z.array(Fault).default([]),
  /** The account's full-access key; random by default. */
  apiKey: z.string().min(1).optional(),
  /** More keys of the account, restricted to these permissions. */
  keys: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        scopes: z.array(z.enum(PERMISSIONS)),
        /** The member of the team who has it. */
        member: z.int().optional(),
      }),
    )
    .default([]),
  /** The status for a scoped key that lacks a permission. */
  missingPermissionStatus: z.union([z.literal(401), z.literal(403)]).default(403),
  /** The members of the account's team beside its owner. */
  team: z.array(TeamMember).default([]),
  /** `credit` in USD is what the account has before anything is billed. */
  user: z
    .strictObject({
      credit: z.number().optional(),
      ssh_key: z.string().nullable().optional(),
      /** Every key of the account is refused with 403. */
      blacklisted: z.boolean().optional(),
    })
    .default({}),
  /** Turns the service's rate limits on; a word says in what form their 429 comes (true: as the dialect has it). */
  limits: z.union([z.boolean(), z.enum(["text", "json", "detail"])]).default(false),
  /** List and get show any new instance only after so many seconds. */
  visibilityLagSeconds: seconds.default(0),
  /** The boot of instances whose offer says nothing about it. */
  statuses: StatusSteps.optional(),
  /** The templates that there are. */
  templates: z.array(Template).default([]),
  /** Room for volumes; by default some on every machine of the market. */
  volumeOffers: z.array(VolumeOffer).optional(),
  /** The volumes that the account has from the start. */
  volumes: z.array(GivenVolume).default([]),
  /** Images of these registries are pulled only with this login. */
  imageLogins: z.array(ImageLogin).default([]),
  /** The stand-in for the image's registry; the service knows nothing of it. */
  registry: RegistryScenario.optional(),
});

/** A scenario as tests and files write it. */
export type Scenario = z.input<typeof Scenario>;

/** A scenario with its defaults filled in. */
export type CompleteScenario = z.output<typeof Scenario>;

import { z } from "zod";
import { Fault } from "./fault.ts";
import { DrawnMarket } from "./host-model.ts";
import { ImageLogin } from "./image-login.ts";
import { MarketOffer } from "./market-offer.ts";
import { PERMISSIONS } from "./permission.ts";
import { RegistryScenario } from "./registry-scenario.ts";
import { Simulate, StatusSteps } from "./simulate.ts";
import { TeamMember } from "./team.ts";
import { Template } from "./template.ts";
import { GivenVolume, VolumeOffer } from "./volume-scenario.ts";

const OfferGiven = MarketOffer.partial().required({ id: true }).extend({ simulate: Simulate.optional() });

/** One simulated world: JSON; everything has a default, and an unknown key is refused. */
export const Scenario = z.strictObject({
  /** The point of it, for people. */
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
      /** Default true. */
      email_verified: z.boolean().optional(),
      /** Names of the account's own variables, which every machine gets. */
      variables: z.array(z.string()).optional(),
    })
    .default({}),
  /** Rate limits on; a word names the form of their 429 (true: as the dialect has it). */
  limits: z.union([z.boolean(), z.enum(["text", "json", "detail"])]).default(false),
  /** List and get show any new instance only after so many seconds. */
  visibilityLagSeconds: z.number().min(0).default(0),
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

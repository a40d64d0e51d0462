// What the package exports, described in docs/client.md: the client, without GitHub and this action.

export {
  AuthenticationError,
  MarketplaceError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  ServiceError,
  UnexpectedAnswerError,
} from "../src/marketplace/errors.ts";
export type {
  CallLimits,
  CallOptions,
  FieldFilter,
  FilterOperator,
  Marketplace,
  Refusal,
} from "../src/marketplace/marketplace.ts";
export { type CreateReading, type RawAnswer, readCreateAnswer } from "../src/marketplace/vast/refusals.ts";
export type {
  InstanceConfig,
  TemplateFilters,
  WireLogRequest as LogRequest,
  WireQuery as OfferQuery,
} from "../src/marketplace/vast/requests.ts";
export {
  type ApiKey,
  type PermissionObject,
  permissionsOf,
  type User,
  type WireInstance as Instance,
  type WireOffer as Offer,
  type WireTemplate as Template,
} from "../src/marketplace/vast/schemas.ts";
export { ServiceClient, type ServiceClientOptions } from "../src/marketplace/vast/service-client.ts";
export { VastMarketplace } from "../src/marketplace/vast/vast-marketplace.ts";
export { type Clock, systemClock } from "../src/shared/clock.ts";
export type { ProxySettings } from "../src/shared/http-client.ts";
export { UserError } from "../src/shared/user-error.ts";
export { AccountClient } from "./account.ts";
export type {
  CreatedApiKey,
  CreatedTemplate,
  NewApiKey,
  SshKey,
  TemplateChanges,
  TemplateContent,
} from "./account-endpoints.ts";

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
} from "../marketplace/errors.ts";
export type {
  CallLimits,
  CallOptions,
  FieldFilter,
  FilterOperator,
  Marketplace,
  Refusal,
} from "../marketplace/marketplace.ts";
export { type Clock, systemClock } from "../shared/clock.ts";
export type { ProxySettings } from "../shared/http-client.ts";
export { UserError } from "../shared/user-error.ts";
export { AccountClient } from "./account.ts";
export type {
  CreatedApiKey,
  CreatedTemplate,
  NewApiKey,
  SshKey,
  TemplateChanges,
  TemplateContent,
} from "./account-endpoints.ts";
export { type CreateReading, type RawAnswer, readCreateAnswer } from "./refusals.ts";
export type { InstanceConfig, LogRequest, OfferQuery, TemplateFilters } from "./requests.ts";
export {
  type ApiKey,
  type Instance,
  type Offer,
  type PermissionObject,
  permissionsOf,
  type Template,
  type User,
} from "./schemas.ts";
export { ServiceClient, type ServiceClientOptions } from "./service-client.ts";
export { VastMarketplace } from "./vast-marketplace.ts";

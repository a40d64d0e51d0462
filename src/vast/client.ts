// The package's offers to others, described in docs/client.md, without GitHub and this action.

export { type Clock, systemClock } from "../shared/clock.ts";
export type { ProxySettings } from "../shared/http-client.ts";
export { UserError } from "../shared/user-error.ts";
export { AccountClient } from "./account/account-client.ts";
export type { CallLimits, CallOptions } from "./call.ts";
export type { NewApiKey } from "./endpoints/create-api-key.ts";
export type { TemplateChanges } from "./endpoints/edit-template.ts";
export type { LogRequest } from "./endpoints/request-logs.ts";
export type { RawAnswer } from "./judge-status.ts";
export { type CreateReading, readCreateAnswer } from "./read-create-answer.ts";
export { type ApiKey, type CreatedApiKey, type PermissionObject, permissionsOf } from "./schemas/api-key.ts";
export type { Instance } from "./schemas/instance.ts";
export type { InstanceConfig } from "./schemas/instance-config.ts";
export type { Offer } from "./schemas/offer.ts";
export type { FieldFilter, FilterOperator, OfferQuery } from "./schemas/offer-query.ts";
export type { SshKey } from "./schemas/ssh-key.ts";
export type { CreatedTemplate, Template, TemplateContent, TemplateFilters } from "./schemas/template.ts";
export type { User } from "./schemas/user.ts";
export { ServiceClient, type ServiceClientOptions } from "./service-client.ts";
export {
  AuthenticationError,
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  ServiceError,
  UnexpectedAnswerError,
} from "./service-errors.ts";

import { ACCOUNT_OPERATIONS } from "./account-operations.ts";

/** The simulated operations by the seed's names, as faults, limits and the journal know them. */
export const SERVICE_OPERATIONS = [
  ...ACCOUNT_OPERATIONS,
  "searchOffers",
  "createInstance",
  "listInstances",
  "getInstance",
  "changeInstance",
  "destroyInstance",
  "currentUser",
  "listCharges",
  "requestLogs",
  "getLogFile",
  "rebootInstance",
  "recycleInstance",
  "changeBid",
  "attachSshKey",
  "listInstanceSshKeys",
  "detachSshKey",
  "listInstanceFilters",
  "listGpuNames",
  "searchVolumes",
  "listVolumes",
  "createVolume",
  "deleteVolume",
  "listSshKeys",
  "createSshKey",
  "changeSshKey",
  "deleteSshKey",
] as const;

/** One of the simulated operations. */
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];

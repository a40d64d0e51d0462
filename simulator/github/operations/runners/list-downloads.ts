import { json } from "../../http/answer.ts";
import type { OrganisationOperation, RepositoryOperation } from "../../http/operation.ts";

/** Lists the runner archives that this repository is offered, with their checksums. */
export const listDownloads: RepositoryOperation = {
  name: "listDownloads",
  method: "GET",
  path: "/repos/:owner/:repo/actions/runners/downloads",
  permission: "administration=read",
  handle: ({ world }) => {
    const downloads = world.runnerPackage.downloads().map(({ os, architecture, filename, sha256 }) => ({
      os,
      architecture,
      download_url: `${world.url}/_downloads/${filename}`,
      filename,
      ...(sha256 === null ? {} : { sha256_checksum: sha256 }),
    }));
    return json(200, downloads);
  },
};

/** The same of an organisation. */
export const listOrgDownloads: OrganisationOperation = {
  ...listDownloads,
  of: "organisation",
  name: "listOrgDownloads",
  path: "/orgs/:org/actions/runners/downloads",
  permission: "organization_self_hosted_runners=read",
};

import { randomBytes, randomUUID } from "node:crypto";
import type { Runner } from "./runners.ts";

/** Sizes in bytes of a 2048-bit RSA key's parts: never used, but the size must be real. */
const RSA_PARTS = { d: 256, dp: 128, dq: 128, exponent: 3, inverseQ: 128, modulus: 256, p: 128, q: 128 };

/**
 * Makes a runner's single-use configuration: base64 of JSON, file name to base64 content, about 4.1
 * kB. A secret: whoever has it can take the runner's job.
 */
export function jitConfig(runner: Runner, serverUrl: string): string {
  const settings = {
    AgentId: String(runner.id),
    AgentName: runner.name,
    DisableUpdate: "True",
    Ephemeral: true,
    PoolId: String(runner.groupId),
    PoolName: "Default",
    ServerUrl: serverUrl,
    WorkFolder: runner.workFolder,
    GitHubUrl: `https://github.com/${runner.home}`,
    UseV2Flow: true,
    ServerUrlV2: serverUrl,
  };
  const tenant = `${serverUrl}/_runner/${randomBytes(20).toString("hex")}`;
  const credentials = {
    Scheme: "OAuth",
    Data: {
      ClientId: runner.secret,
      AuthorizationUrl: `${tenant}/_apis/oauth2/token/${randomUUID()}`,
      AuthorizationUrlV2: `${tenant}/oauth/token`,
      RequireFipsCryptography: "True",
    },
  };
  const key = Object.entries(RSA_PARTS).map(([part, size]) => [part, randomBytes(size).toString("base64")]);
  return base64({
    ".runner": base64(settings),
    ".credentials": base64(credentials),
    ".credentials_rsaparams": base64(Object.fromEntries(key)),
  });
}

function base64(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString("base64");
}

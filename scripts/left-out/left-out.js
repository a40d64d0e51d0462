// In place of @actions/http-client and @actions/exec, which @actions/core loads at its start, and
// with them all of undici: it uses them for getIDToken and platform.getDetails alone, and we for
// nothing.
function isLeftOut() {
  throw new Error("This build has neither getIDToken nor platform.getDetails of @actions/core (scripts/left-out).");
}

export { isLeftOut as BearerCredentialHandler, isLeftOut as exec, isLeftOut as getExecOutput, isLeftOut as HttpClient };

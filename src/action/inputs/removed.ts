/** Inputs that there were once, with what to write instead: a line that has no effect any more is refused by name. */
export const REMOVED_INPUTS: Readonly<Record<string, string>> = {
  "cancel-run": "is gone, write `if-no-machine: auto`, `cancel` or `leave`",
  "volume-create-new":
    "is gone, as each use left a volume that bills for ever: make the volume once, in the service's console or by the client (docs/client.md), and write `volume-id: ID`",
  "volume-size": "is gone with volume-create-new, leave the line out: `volume-id: ID` gives a volume as it is",
};

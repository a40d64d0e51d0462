import { packText } from "../../src/machine/script/pack-text.ts";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";

const WHOLE = packText("echo 'it works'; : >worked\n".repeat(50));
const HANGS = "work() { trap '' INT TERM; while true; do sleep 60; done; }";

/** It does no work but to give itself back. */
const withWork = (work: string | undefined, says: Life["says"] = []): Life => ({
  env: { GHR_WORK: work },
  calls: { "PUT listener job DELETE": [GIVEN_BACK] },
  says,
});
const DAMAGED = " ghr: GHR_WORK is missing or damaged.\n";

const CHANGED = WHOLE.replace(/(?<=^.{60})./, (sign) => (sign === "A" ? "B" : "A"));

eachMachine({
  "gives the machine back when its work is missing, and says so": withWork(undefined, DAMAGED),
  "gives the machine back when its work is empty, and says so": withWork("", DAMAGED),
  "gives the machine back when its work was cut, and says so": withWork(WHOLE.slice(0, -8), DAMAGED),
  "gives the machine back when its work is no base64": withWork(`${WHOLE.slice(0, 20)}"$${WHOLE.slice(20)}`, DAMAGED),
  "gives the machine back when its work was changed, and says so": withWork(CHANGED, DAMAGED),
  "gives the machine back when its work has a mistake": withWork(packText("work() {")),
  "gives the machine back when its work is another script": withWork(packText("echo 'not ours'")),
  "gives the machine back when its work ends at once": withWork(packText("work() { exit 0; }")),
  "gives the machine back when its work would end the guard": withWork(packText("work() { kill -KILL -- -$BASHPID; }")),
  "ends work that hangs before it has proven the key": withWork(packText(HANGS), "Time is up after 180 s."),
});

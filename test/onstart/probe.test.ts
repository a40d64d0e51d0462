import { packText } from "../../src/machine/script/pack-text.ts";
import { eachMachine } from "./support/each-machine.ts";
import { notes } from "./support/image.ts";
import { RAN_JOB } from "./support/listener.ts";
import { PROVEN } from "./support/stand-in-service.ts";
import { setupOf } from "./support/test-machine.ts";

const probeOf = (lines: string) => ({ GHR_PROBE: packText(lines) });

eachMachine({
  "goes on when the probe is content": {
    env: probeOf(notes("probe")),
    calls: { "PUT nvidia-smi probe listener job": [PROVEN, "nvidia-smi -L", "probe", "listener run", ...RAN_JOB] },
  },
  "gives the machine back when the probe fails, with its last words, before setup": {
    env: { ...probeOf("echo first; echo 'CUDA error: no kernel image' >&2; exit 3"), ...setupOf(notes("setup"), 600) },
    calls: { "setup listener": [] },
    says: "This machine is no good: probe ended with code 3. CUDA error: no kernel image\n",
  },
  "gives the machine back when the probe takes longer than two minutes": {
    env: probeOf("trap '' INT TERM; echo 'loading'; sleep 7200"),
    calls: { listener: [] },
    says: "This machine is no good: probe took longer than 120 s. loading\n",
  },
});

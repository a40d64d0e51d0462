import type { z } from "zod";
import type { Volume } from "../marketplace/marketplace.ts";
import { booleanField, optionalNumberField, textField } from "./input-fields.ts";

/** The inputs that give the machine a volume, by their names in action.yml. */
export const VOLUME_INPUTS = {
  "volume-id": optionalNumberField({ min: 1, max: 999_999_999, whole: true, unit: "" }),
  "volume-create-new": booleanField(false),
  "volume-size": optionalNumberField({ min: 1, max: 65_536, unit: "GB" }),
  "volume-mount-path": textField({
    // The guards of a machine keep their files in /opt/ghr: they must not outlive it on a volume.
    pattern: /^(?!.*\/\.\.?(\/|$))(?!\/opt(\/ghr(\/|$)|$))(\/[A-Za-z0-9._-]{1,64}){1,16}$/,
    words:
      "an absolute path below /, such as /data, of letters, digits, dots, hyphens and underscores; neither /opt nor /opt/ghr, which the machine's own guards need",
  }),
};

type VolumeInputs = z.output<z.ZodObject<typeof VOLUME_INPUTS>>;

/** The volume as a create asks for it, its inputs checked together; undefined without one. */
export function volumeOf(inputs: Readonly<VolumeInputs>): Volume | undefined {
  const { "volume-id": id, "volume-size": sizeGb, "volume-mount-path": mountPath } = inputs;
  if (id === undefined) return undefined;
  const isNew = inputs["volume-create-new"] && sizeGb !== undefined;
  return isNew ? { kind: "new", offerId: id, sizeGb, mountPath } : { kind: "existing", id, mountPath };
}

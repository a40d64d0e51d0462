import { KnownError } from "../known-error.ts";

/** The market: offers matched, but each was gone when we asked for it. */
export class OffersExhaustedError extends KnownError {
  override readonly name = "OffersExhaustedError";

  constructor(tried: number, billing: string) {
    super(`None of the ${tried} matching offers could be had. ${billing}`, {
      hint: "Run the job again in some minutes, or raise max-price.",
    });
  }
}

/** The account: the service wants money first. */
export class NoCreditError extends KnownError {
  override readonly name = "NoCreditError";

  constructor(sentence: string, billing: string) {
    super(`The service rents nothing to this account: ${sentence}. ${billing}`, {
      hint: "Add credit to the service's account.",
    });
  }
}

/** The request: the service refused to create, and another offer would be refused like it. */
export class CreateRefusedError extends KnownError {
  override readonly name = "CreateRefusedError";

  constructor(status: number, sentence: string, billing: string) {
    super(`The service refused to create the instance (${status}): ${sentence}. ${billing}`, {
      hint: "Check image, disk and env.",
    });
  }
}

/** The template: no template has that hash. */
export class TemplateUnknownError extends KnownError {
  override readonly name = "TemplateUnknownError";

  constructor(hash: string, sentence: string, billing: string) {
    super(`The service does not take the template ${hash}: ${sentence}. ${billing}`, {
      hint: "Check template-hash-id: a template gets another hash with each edit; the service's console shows the present one.",
    });
  }
}

/** The service: whether an instance was created could not be found out. Post looks again. */
export class CreateUncertainError extends KnownError {
  override readonly name = "CreateUncertainError";

  constructor(label: string, cause: unknown) {
    super(
      `It is not known whether an instance was created: the service gave no answer. If it was, its label is ${label}.`,
      {
        cause,
        hint: "The post step looks for it and destroys it; look into the service's console if the post step fails as well.",
      },
    );
  }
}

/** The machines: as many as `attempts` allows were rented, and none became or stayed ready. Each was destroyed. */
export class AttemptsExhaustedError extends KnownError {
  override readonly name = "AttemptsExhaustedError";

  constructor(failures: readonly string[], billing: string) {
    super(`No machine could be made ready. ${failures.join(" ")} ${billing}`, {
      hint: "Raise attempts, min-reliability or the timeout that ran out; a big image needs a longer boot-timeout.",
    });
  }
}

/** The image: two different machines could not pull it. */
export class ImageUnusableError extends KnownError {
  override readonly name = "ImageUnusableError";

  constructor(image: string, statusMessage: string) {
    super(`Two machines could not pull the image ${image}: ${statusMessage}. Both were destroyed.`, {
      hint: "Check the image's name and tag. A private image needs image-login, with a token that may pull it.",
    });
  }
}

/** Time: `ready-timeout` ran out. */
export class ReadyTimeoutError extends KnownError {
  override readonly name = "ReadyTimeoutError";

  constructor(limit: string, failures: readonly string[], billing: string) {
    super(`No machine was ready within ready-timeout (${limit}). ${[...failures, billing].join(" ")}`, {
      hint: "Raise ready-timeout, or ask for a GPU that is offered more often.",
    });
  }
}

/** MONEY: an instance could not be confirmed to be gone. */
export class InstanceNotDestroyedError extends KnownError {
  override readonly name = "InstanceNotDestroyedError";

  constructor(what: string, reason: string, cause?: unknown) {
    super(`${what} may still be billing: its destruction could not be confirmed (${reason}).`, {
      cause,
      hint: "Destroy it in the service's console, or run this with an API key: DELETE /api/v0/instances/ID/.",
    });
  }
}

/** The probe: several machines gave themselves back before a runner started, and with a probe that is what they have in common. */
export class ProbeFailedError extends KnownError {
  override readonly name = "ProbeFailedError";

  constructor(machines: number, billing: string) {
    super(
      `${machines} machines gave themselves back before their runner was online, and a probe is set: it may fail on every machine. ${billing}`,
      {
        hint: "Try the line of probe in the image by hand, or run once without it; what a failed probe prints is lost with its machine.",
      },
    );
  }
}

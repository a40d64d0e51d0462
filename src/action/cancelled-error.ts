/** The platform asked this step to stop. Not a fault: post gives back what is rented. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor(signal: string) {
    super(`Stopped by ${signal}. The post step gives back whatever is rented.`);
  }
}

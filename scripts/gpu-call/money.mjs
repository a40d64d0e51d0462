/**
 * A warning for a call whose max-cost may pay a machine for less than its job may take: the action
 * sees no job's timeout-minutes, so nobody else can know.
 * @param {{ "max-cost": string, "max-price": string, "timeout-minutes": string }} call
 * @returns {{ title: string, text: string } | undefined}
 */
export function warnOfMoney(call) {
  const [cost, price, minutes] = [call["max-cost"], call["max-price"], call["timeout-minutes"]].map(Number);
  // Anything else is for the action to refuse, which knows its inputs.
  if (!(cost > 0 && price > 0)) return undefined;
  const paid = Math.floor((cost / price) * 60);
  if (paid >= minutes) return undefined;
  const enough = Math.ceil(((price * minutes) / 60) * 100) / 100;
  const text =
    `max-cost (${cost} USD) pays one machine at max-price (${price} USD an hour) for ${paid} minutes, and a GPU job may take ${minutes} (timeout-minutes). ` +
    `A job that takes longer than is paid for loses its machine. Raise max-cost to ${enough} or more for each machine, or lower timeout-minutes.`;
  return { title: "max-cost is less than a GPU job may take", text };
}

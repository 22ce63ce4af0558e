/** Takers and makers pay 0.2 %. */
const PER_MILLE = 2n;

/**
 * The fee on what a trade yields, in units of the received coin. A part of a unit is charged whole, so that cutting an
 * order into crumbs never saves the fee; it is never more than what was received.
 */
export function feeOf(received: bigint): bigint {
  return (received * PER_MILLE + 999n) / 1000n;
}

import type { Intent } from '../journal/intent.js';
import type { Fit } from './terms.js';

type Lost = Intent<'withdraw'>;

/**
 * Of what fits a withdrawal in doubt, what cannot be another's that is open too: what it fits itself exactly, another may
 * have where that fits it exactly as well; what it fits but for the fee, where the other fits it at all. Where all of it may
 * be others' it is `contested`, and taken by none: the one would count as there, and the other be sent again.
 *
 * @param found oldest first
 * @param fitOf how well something that was found fits a withdrawal
 */
export function uncontested<Found>(
  found: readonly Found[],
  own: Lost,
  others: readonly Lost[],
  fitOf: (one: Found, of: Lost) => Fit,
): readonly Found[] | 'contested' {
  const isAnothers = (one: Found) => {
    const fits = others.map((other) => fitOf(one, other));
    return fits.includes('exactly') || (fitOf(one, own) !== 'exactly' && fits.includes('butForTheFee'));
  };
  const left = found.filter((one) => !isAnothers(one));
  if (left.length > 0 || found.length === 0) return left;
  return inTurn(found, own, others, fitOf) ?? 'contested';
}

/** Where each has one that it fits exactly, and nothing else tells them apart, the one that was sent first has the first. */
function inTurn<Found>(
  found: readonly Found[],
  own: Lost,
  others: readonly Lost[],
  fitOf: (one: Found, of: Lost) => Fit,
): readonly Found[] | undefined {
  const alike = [own, ...others.filter((other) => found.some((one) => fitOf(one, other) === 'exactly'))];
  const isEnough = found.length >= alike.length;
  const isAnybodys = found.every((one) => alike.every((lost) => fitOf(one, lost) === 'exactly'));
  if (!isEnough || !isAnybodys) return undefined;
  const turn = alike.sort((one, other) => one.reqTime - other.reqTime || (one.id < other.id ? -1 : 1)).indexOf(own);
  return found.slice(turn, turn + 1);
}

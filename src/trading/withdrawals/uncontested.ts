import type { Intent } from '../journal/intent.js';
import type { Fit } from './terms.js';

type Lost = Intent<'withdraw'>;

/**
 * The records that match an unknown withdrawal and cannot belong to another open one. An exact match is excluded if it
 * matches another exactly as well; a match except for the fee is excluded if it matches another at all. If all of them may
 * belong to others, the result is `contested` and none is taken: one withdrawal would count as found, and the other would be
 * sent again.
 *
 * @param found oldest first
 * @param fitOf how well a record matches a withdrawal
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

/** If each has an exact match and nothing else distinguishes them, the one that was sent first gets the first. */
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

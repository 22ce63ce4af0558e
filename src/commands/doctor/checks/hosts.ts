import { Failure } from '../../../errors.js';
import { TransportError } from '../../../exchange/transport.js';
import { quietly } from '../../../trading/quietly.js';
import { type Check, type Found, fail, ok, skipped, warn } from '../check.js';
import type { Examination, Reached } from '../examination.js';

const DAY_MS = 86_400_000;
/** A certificate that ends sooner has usually been forgotten. */
const SOON_DAYS = 14;
/** More than an answer's way and a clock of whole seconds explain. */
const SKEW_MS = 2_000;

interface Place {
  readonly name: string;
  readonly reach: (examination: Examination) => Promise<Reached>;
  readonly url: (hosts: { readonly baseUrl: string; readonly tradeUrl: string }) => string;
}

const PLACES: readonly Place[] = [
  { name: 'market', reach: (examination) => examination.market(), url: ({ baseUrl }) => baseUrl },
  { name: 'trade', reach: (examination) => examination.trade(), url: ({ tradeUrl }) => tradeUrl },
];

export const hosts: readonly Check[] = PLACES.flatMap(({ name, reach, url }) => [
  {
    name: `${name}-host`,
    look: async (examination: Examination) => {
      const { sent, received } = await reach(examination);
      return ok(`${await urlOf(examination, url)} answered in ${received - sent} ms`);
    },
  },
  {
    name: `${name}-tls`,
    look: async (examination: Examination) => certificateFound(await urlOf(examination, url), () => reach(examination)),
  },
]);

async function urlOf({ context: { session } }: Examination, url: Place['url']): Promise<string> {
  return url((await session.client()).hosts);
}

async function certificateFound(url: string, reach: () => Promise<Reached>): Promise<Found> {
  if (url.startsWith('http:')) return ok('plain http, to this machine alone');
  try {
    const { certificateEnds, received } = await reach();
    return daysFound(certificateEnds, received);
  } catch (thrown) {
    const { cause } = thrown instanceof Failure ? thrown : {};
    if (!(thrown instanceof Failure) || !(cause instanceof TransportError)) throw thrown;
    if (cause.fault === 'certificate') return fail(cause.message, cause.fix ?? thrown.hints);
    return skipped('the host could not be reached', 'Mend the host first.');
  }
}

function daysFound(ends: number | null, now: number): Found {
  if (ends === null) return ok('the certificate was accepted');
  const days = Math.floor((ends - now) / DAY_MS);
  const words = `the certificate was accepted; it ends in ${days} ${days === 1 ? 'day' : 'days'}`;
  return days < SOON_DAYS ? warn(words, 'Only the exchange can renew it: ask there.') : ok(words);
}

export const clock: Check = {
  name: 'clock',
  async look(examination) {
    const answer = await quietly(() => examination.trade());
    if (answer === undefined) return skipped('the trade host gave no answer', 'Mend the host first.');
    const { date, sent, received } = answer;
    if (date === null) return ok('the exchange does not tell its time');
    return skewFound(skewOf(date, sent, received));
  },
};

/**
 * How far the exchange's clock is ahead of this machine's at the least, in milliseconds: its `Date` counts whole seconds,
 * and was written at some moment between the request and the answer.
 */
export function skewOf(date: number, sent: number, received: number): number {
  const [least, most] = [date - received, date + 1_000 - sent];
  if (least > 0) return least;
  return Math.min(most, 0);
}

function skewFound(skew: number): Found {
  if (Math.abs(skew) <= SKEW_MS) return ok("this machine's clock and the exchange's agree");
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const words = `this machine's clock is ${seconds} s ${skew > 0 ? 'slow' : 'fast'}; pit corrects for it, other programs may not`;
  return warn(words, 'Set it by the network: timedatectl set-ntp true');
}

import { describe, expect, it } from 'vitest';
import { signedUrl } from '../../sandbox/signing.js';
import { type ServedSandbox, serveSandbox, temporaryHome } from '../../support/pit.js';

const locking = await serveSandbox(temporaryHome(), ['--limit', 'address=2,lock=1h']);
const single = await serveSandbox(temporaryHome(), ['--no-limits', '--limit', 'address=1']);
const hasty = await serveSandbox(temporaryHome(), ['--no-limits', '--limit', 'reqTime=5s']);

/** The return codes of requests for a missing order, each of the given age in ms. */
async function codes({ address }: ServedSandbox, ages: readonly number[]): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  for (const age of ages) {
    const url = signedUrl(address, address, 'getOrder', { currency: 'btc_usdt', id: '17' });
    // the signature does not cover reqTime
    const text = await (await fetch(url.replace(/reqTime=\d+/, `reqTime=${Date.now() - age}`))).text();
    answers.push(/"code":(\d+)/.exec(text)?.[1]);
  }
  return answers;
}

describe('pit sandbox serve --limit, asked on its port,', () => {
  it('applies the address limit and the lock duration', async () => {
    expect(await codes(locking, [0, 0, 0])).toEqual(['3001', '3001', '4001']);
  });

  it('overrides --no-limits for the limits it names', async () => {
    expect(await codes(single, [0, 0])).toEqual(['3001', '4001']);
  });

  it('applies the time tolerance of requests', async () => {
    expect(await codes(hasty, [0, 3_000, 8_000, -8_000])).toEqual(['3001', '3001', '3007', '3007']);
  });
});

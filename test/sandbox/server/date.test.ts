import { describe, expect, it } from 'vitest';
import { admin, done, sandbox } from '../admin/served.js';
import { send } from './wire.js';

type Address = Awaited<ReturnType<typeof sandbox>>['address'];

/** The literal `Date` of an answer. */
async function dateOf({ baseUrl }: Address, path = '/data/v1/markets'): Promise<string | undefined> {
  const port = Number(new URL(baseUrl).port);
  const answer = await send(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(answer.match(/^Date: /gim) ?? []).toHaveLength(1);
  return /\r\nDate: ([^\r]+)\r\n/.exec(answer)?.[1];
}

const machine = { time: 1540295995557 };
const still = () => sandbox({ now: () => machine.time });

describe('the Date of an answer', () => {
  it("shows the exchange's clock, whether it is advanced, stopped or fast", async () => {
    const { address } = await still();
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 11:59:55 GMT');
    await done(address, 'POST /clock/advance', { ms: 4_443 });
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 12:00:00 GMT');
    await done(address, 'POST /clock/stop');
    machine.time += 10_000;
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 12:00:00 GMT');
    await done(address, 'POST /clock/speed', { speed: 60 });
    await done(address, 'POST /clock/start');
    machine.time += 1_000;
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 12:01:00 GMT');
  });

  it("shows the exchange's clock in refusals and in answers of a fault too", async () => {
    const { address } = await still();
    await done(address, 'POST /clock/set', { time: Date.UTC(2018, 9, 23, 13) });
    expect(await dateOf(address, '/api/order?method=order')).toBe('Tue, 23 Oct 2018 13:00:00 GMT');
    for (const kind of ['html-before', 'error-before', 'redirect', 'truncate']) {
      await admin(address, 'POST /faults/add', { kind, count: 1 });
      expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 13:00:00 GMT');
    }
  });

  it('shows the clock that a skew fault checks reqTime against', async () => {
    const { address } = await still();
    await done(address, 'POST /clock/set', { time: Date.UTC(2018, 9, 23, 13) });
    await admin(address, 'POST /faults/add', { kind: 'skew', skew: -90_000, count: 1 });
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 12:58:30 GMT');
    expect(await dateOf(address)).toBe('Tue, 23 Oct 2018 13:00:00 GMT');
  });
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorldHome } from '../pit-home.js';

const pit = useWorldHome();
const ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
// completion is installed in this home, not in that of the user who runs the tests
const environmentOf = () => ({ NO_COLOR: '1', HOME: pit.home, SHELL: '/bin/bash' });
const HOSTS = '--base-url https://api.example.com --trade-url https://trade.example.com';

let placed = '';

/** What asks a person at a terminal, with the exit code that it has with --yes: what --yes does not confirm is refused. */
const ASKING: readonly (readonly [line: string, withYes: number])[] = [
  ['order', 2],
  ['order buy', 2],
  ['order buy btc_usdt', 2],
  ['order buy btc_usdt 0.01', 2],
  ['order buy btc_usdt 0.01 --at 20000 --override price-band', 0],
  ['order buy btc_usdt 0.01 --at 60000', 2],
  ['order batch buy btc_usdt --ladder 20000:21000:5 --amount 0.1 --override price-band', 0],
  ['order batch buy btc_usdt --ladder 60000:61000:5 --amount 0.1', 2],
  ['order replace btc_usdt ORDER --at 20100 --override price-band', 0],
  ['api order currency=btc_usdt price=20000 amount=0.02 tradeType=1', 0],
  ['api setRepayState currency=btc_usdt on=1', 3],
  ['cancel btc_usdt --all', 0],
  ['cancel --all --all-markets', 0],
  ['cancel-after btc_usdt', 0],
  ['withdraw', 2],
  [`withdraw btc 0.01 --to ${ADDRESS}`, 8],
  [`withdraw btc 0.01 --to ${ADDRESS} --confirm-address ${ADDRESS}`, 8],
  ['keys set --profile other', 8],
  ['keys remove --profile other', 0],
  ['profile unset other withdrawLimit', 8],
  ['profile remove other', 8],
  ['profile remove plain', 0],
  ['completion install bash', 0],
  ['completion uninstall zsh', 0],
  ['halt --flatten usdt', 0],
  ['halt --lift', 8],
  ['sandbox import FILE', 0],
  ['sandbox reset', 0],
];

/** The latch falls before the question what to sell. */
const PARTIAL = 9;

describe('on a terminal', () => {
  beforeAll(async () => {
    pit.defaults = { environment: environmentOf() };
    for (const name of ['other', 'plain']) await pit.done(`profile add ${name} ${HOSTS}`);
    const keys = path.join(pit.home, 'keys');
    writeFileSync(keys, 'access-0123456789\nsecret-0123456789\n', { mode: 0o600 });
    await pit.done(`keys set --profile other --file ${keys}`);
    await pit.done('profile set other withdrawLimit 1btc');
    await pit.done('completion install zsh --yes');
    placed = (await pit.json<{ id: string }>('order buy btc_usdt 0.05 --at 20000 --override price-band --yes')).id;
    await pit.done(`sandbox export ${path.join(pit.home, 'export')}`);
  });

  function at(line: string, flags: string) {
    const words = `${line} ${flags}`.replace('ORDER', placed).replace('FILE', path.join(pit.home, 'export'));
    return pit.world.run(words.split(' '), { environment: environmentOf(), columns: 100, steps: [] });
  }

  it.each(ASKING)('the question of pit %s ends with --timeout, and nothing that it asks for is done', async (line) => {
    const { code, screen } = await at(line, '--timeout 30');
    expect({ code, screen }).toEqual({
      code: line.startsWith('halt --flatten') ? PARTIAL : 8,
      screen: expect.stringContaining('The question was not answered within 30 seconds.'),
    });
  });

  it('a halt is lifted after them', async () => {
    expect(await pit.done('halt --lift --confirm sandbox')).toContain('Lifted');
  });

  it.each(ASKING)('pit %s asks nothing with --yes, and exits with %i', async (line, code) => {
    const ran = await at(line, '--yes');
    expect({ line, ...ran, asked: /^\? /m.test(ran.screen) }).toEqual({ line, ...ran, code, asked: false });
  });
});

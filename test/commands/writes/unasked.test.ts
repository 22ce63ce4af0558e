import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWorldPerTest, type WorldHome } from '../pit-home.js';

const ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
// completion is installed in this home, not in that of the user who runs the tests
const environmentOf = (pit: WorldHome) => ({ NO_COLOR: '1', HOME: pit.home, SHELL: '/bin/bash' });
const HOSTS = '--base-url https://api.example.com --trade-url https://trade.example.com';

/** What there has to be before a line is run. */
const NEEDS = {
  order: (pit: WorldHome) => pit.done('order buy btc_usdt 0.05 --at 20000 --override price-band --id placed1 --yes'),
  profile: (pit: WorldHome) => pit.done(`profile add plain ${HOSTS}`),
  limit: async (pit: WorldHome) => {
    await pit.done(`profile add other ${HOSTS}`);
    await pit.done('profile set other withdrawLimit 1btc');
  },
  keys: async (pit: WorldHome) => {
    await pit.done(`profile add other ${HOSTS}`);
    const keys = path.join(pit.home, 'keys');
    writeFileSync(keys, 'access-0123456789\nsecret-0123456789\n', { mode: 0o600 });
    await pit.done(`keys set --profile other --file ${keys}`);
  },
  completion: (pit: WorldHome) => pit.done('completion install zsh --yes', { environment: environmentOf(pit) }),
  halt: (pit: WorldHome) => pit.done('halt'),
  export: async (pit: WorldHome) => {
    // an import asks if it ends something
    await NEEDS.order(pit);
    await pit.done(`sandbox export ${path.join(pit.home, 'export')}`);
  },
};

/** What asks a person at a terminal, with the exit code that it has with --yes: what --yes does not confirm is refused. */
const ASKING: readonly (readonly [line: string, withYes: number, needs?: keyof typeof NEEDS])[] = [
  ['order', 2],
  ['order buy', 2],
  ['order buy btc_usdt', 2],
  ['order buy btc_usdt 0.01', 2],
  ['order buy btc_usdt 0.01 --at 20000 --override price-band', 0],
  ['order buy btc_usdt 0.01 --at 60000', 2],
  ['order batch buy btc_usdt --ladder 20000:21000:5 --amount 0.1 --override price-band', 0],
  ['order batch buy btc_usdt --ladder 60000:61000:5 --amount 0.1', 2],
  ['order replace btc_usdt placed1 --at 20100 --override price-band', 0, 'order'],
  ['api order currency=btc_usdt price=20000 amount=0.02 tradeType=1', 0],
  ['api setRepayState currency=btc_usdt on=1', 3],
  ['cancel btc_usdt --all', 0, 'order'],
  ['cancel --all --all-markets', 0, 'order'],
  ['cancel-after btc_usdt', 0, 'order'],
  ['withdraw', 2],
  [`withdraw btc 0.01 --to ${ADDRESS}`, 8],
  [`withdraw btc 0.01 --to ${ADDRESS} --confirm-address ${ADDRESS}`, 8],
  ['keys set --profile plain', 8, 'profile'],
  ['keys remove --profile other', 0, 'keys'],
  ['profile unset other withdrawLimit', 8, 'limit'],
  ['profile remove other', 8, 'limit'],
  ['profile remove plain', 0, 'profile'],
  ['completion install bash', 0],
  ['completion uninstall zsh', 0, 'completion'],
  ['halt --flatten usdt', 0],
  ['halt --lift', 8, 'halt'],
  ['sandbox import FILE', 0, 'export'],
  ['sandbox reset', 0],
];

const LINES = ASKING.map(([line, withYes, needs]) => ({ line, withYes, needs }));

/** The latch falls before the question what to sell. */
const PARTIAL = 9;

/** Runs a line on a terminal that gets no input. */
async function unanswered(pit: WorldHome, line: string, flags: string, needs?: keyof typeof NEEDS) {
  if (needs !== undefined) await NEEDS[needs](pit);
  const words = `${line} ${flags}`.replace('FILE', path.join(pit.home, 'export')).split(' ');
  return pit.world.run(words, { environment: environmentOf(pit), columns: 100, steps: [] });
}

/** A sandbox without traders is never opened again, so it cannot be imported. */
const isImport = ({ line }: { readonly line: string }) => line.startsWith('sandbox import');

describe.each([
  ['of a market that stands still', { markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } }, false],
  ['of a sandbox that can be opened again', {}, true],
])('a line %s', (_, options, importing) => {
  const pit = useWorldPerTest(options);
  const lines = LINES.filter((line) => isImport(line) === importing);

  it.each(lines)(
    'whose question ends with --timeout does nothing that it asks for: pit $line',
    async ({ line, needs }) => {
      const { code, screen } = await unanswered(pit, line, '--timeout 30', needs);
      expect({ code, screen }).toEqual({
        code: line.startsWith('halt --flatten') ? PARTIAL : 8,
        screen: expect.stringContaining('The question was not answered within 30 seconds.'),
      });
    },
  );

  it.each(lines)('asks nothing with --yes, and exits with $withYes: pit $line', async ({ line, withYes, needs }) => {
    const ran = await unanswered(pit, line, '--yes', needs);
    expect({ line, ...ran, asked: /^\? /m.test(ran.screen) }).toEqual({ line, ...ran, code: withYes, asked: false });
  });
});

import { describe, expect, it } from 'vitest';
import { PitHome, usePitHome } from '../commands/pit-home.js';
import { BUILT } from '../support/command.js';
import { warnings } from '../support/json-lines.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const pit = usePitHome();

describe('stderr with --json', () => {
  it('the command that starts the sandbox prints nothing there', async () => {
    const fresh = new PitHome(temporaryHome());
    try {
      expect(await fresh.run('depth btc_usdt --json')).toMatchObject({ code: 0, stderr: '' });
      await fresh.done('sandbox stop');
      const { stderr } = await fresh.run('depth btc_usdt --json --verbose');
      expect(JSON.parse(stderr.split('\n')[0] ?? '')).toEqual({
        note: { message: expect.stringMatching(/^Started the sandbox exchange at http:\S+;/), hint: null },
      });
    } finally {
      await fresh.run('sandbox stop');
    }
  });

  it.each([
    'sandbox deposit usdt 100',
    'profile add notes --base-url https://api.example.com --trade-url https://trade.example.com',
    'order batch buy btc_usdt --ladder 20000:20400:5 --amount 1000usdt --dry-run',
    'kline btc_usdt --chart --svg {home}/chart.svg',
  ])('pit %s has a note for people, and none for programs', async (line) => {
    const filled = line.replace('{home}', pit.home);
    expect((await pit.run(`${filled} --json`)).stderr).toBe('');
    await pit.run('profile remove notes --yes');
    expect((await pit.run(filled)).stderr).toMatch(/./);
  });

  it.each([
    // before an order is placed
    ['orders', /^pit has not placed any orders yet\. Name a market/],
    ['fills', /^pit has not placed any orders yet\. Name a market/],
    ['depth btc_usdt --merge 1 --size 20', /^--merge shows 5 levels per side/],
    ['kline btc_usdt --type 1week --size 900', /^There are \d+ candles, not 900\.$/],
    ['markets --quote nope', /^No market has nope as its quote coin\./],
    ['ticker --quote nope', /^No market has nope as its quote coin\./],
    ['order buy btc_usdt 0.001 --at 40000 --override price-band --yes', /^Overridden price-band: /],
    ['api markts', /^The interface does not describe markts, so it counts as a write/],
    ['cancel-after xrp_usdt --yes', /^The exchange will cancel EVERY order of xrp_usdt one minute later/],
  ])('pit %s warns in an object of a line', async (line, message) => {
    const { stderr } = await pit.run(`${line} --json`);
    expect(warnings(stderr)).toContainEqual({ message: expect.stringMatching(message), hint: null });
  });

  it('a warning holds the command that helps', async () => {
    await pit.done('sandbox fault add twice --operation order --count 1');
    const { code, stderr } = await pit.run('order buy btc_usdt 0.01 --at bid-5% --yes --json');
    const [warning] = warnings(stderr);
    expect(warning?.message).toMatch(/^THE ORDER WAS PLACED MORE THAN ONCE: /);
    expect(warning?.hint).toMatch(/^To cancel the duplicates: pit cancel btc_usdt \d+$/);
    expect(code).toBe(9);
  });

  it('each line is JSON and its kind is right, if keys are like words and numbers of it', async () => {
    const keys = { PIT_ACCESS_KEY: 'null', PIT_SECRET_KEY: '":{"' };
    const environment = { ...keys, PIT_BASE_URL: 'http://127.0.0.1:1', PIT_TRADE_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await runProgram(['account', '--json'], { home: pit.home, environment });
    const lines = stderr.trimEnd().split('\n');
    const { error } = lines.map((line) => JSON.parse(line)).at(-1);
    expect([code, error]).toEqual([error.exitCode, expect.objectContaining({ kind: 'unreachable', code: null })]);
  });

  it('on a terminal it stays text', async () => {
    const words = 'depth btc_usdt --merge 1 --size 20 --json'.split(' ');
    const { stderr } = await runPit(words, { home: pit.home, columns: 100, pipedOutput: true });
    expect(stderr).toContain('Warning: --merge shows 5 levels per side');
  });

  it('nothing that Node warns of is printed, with or without --json', async () => {
    const warning = "process.emitWarning('early'); setTimeout(() => process.emitWarning('late', 'DeprecationWarning'))";
    const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warning)}` };
    // the executable obeys no options of Node
    const options = { home: pit.home, environment, program: BUILT };
    for (const words of [['markets', '--json'], ['markets'], ['--version']])
      expect(await runProgram(words, options)).toMatchObject({ code: 0, stderr: '' });
    const { stderr } = await runProgram(['markets', '--json', '--verbose'], options);
    expect(stderr).toContain('{"note":{"message":"DeprecationWarning: late');
  });
});

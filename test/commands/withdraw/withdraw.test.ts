import { beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import type { TerminalStep } from '../../support/terminal.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { keyWith } from '../funds/funds.js';
import { DECIMAL, document, type Extra, ID, lastError, useWorldPerTest } from '../pit-home.js';

interface Address {
  readonly address: string;
  readonly memo: string | null;
}

interface Record {
  readonly id: string;
  readonly amount: string;
  readonly address: string;
}

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
/** The verified addresses of the sandbox's account. */
const verified: { btc: string; usdt: string; xrp: Address } = { btc: '', usdt: '', xrp: { address: '', memo: null } };

beforeEach(async () => {
  for (const coin of ['btc', 'usdt'] as const) {
    const [place] = await pit.json<Address[]>(`address ${coin} --withdraw`);
    verified[coin] = place?.address ?? '';
  }
  const [place] = await pit.json<Address[]>('address xrp --withdraw');
  if (place !== undefined) verified.xrp = place;
});

function password(): Extra {
  return { input: `${pit.served.address.safePwd}\n` };
}

function line(words: string): string {
  const { btc, usdt, xrp } = verified;
  const names: { readonly [name: string]: string } = { BTC: btc, USDT: usdt, XRP: xrp.address, MEMO: xrp.memo ?? '' };
  return words.replace(/\b(?:BTC|USDT|XRP|MEMO)\b/g, (name) => names[name] ?? name);
}

/** As a script says it: the address twice, the password on stdin. */
function scripted(words: string): string {
  const [, to = ''] = /--to (\S+)/.exec(words) ?? [];
  return line(`withdraw ${words} --confirm-address ${to} --safe-pwd-stdin`);
}

async function idsOf(coin: string): Promise<string[]> {
  return (await pit.json<Record[]>(`withdrawals ${coin}`)).map(({ id }) => id);
}

/** The available balance and the withdrawals; those under way continue by themselves. */
async function ledger() {
  const rows = await pit.json<{ coin: string; available: string }[]>('balance --all');
  const ids = await Promise.all(['btc', 'usdt', 'xrp'].map(idsOf));
  return { available: rows.map(({ coin, available }) => [coin, available]), ids };
}

describe('an invalid withdrawal', () => {
  const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
  const EVM = '0x54121adf050566107229671be648f286eb82eb83';

  it('pit or the exchange refuses the withdrawal with a fix, and nothing moves', async () => {
    const before = await ledger();
    const refusals: [words: string, exitCode: number, message: RegExp, hint: RegExp][] = [
      ['btd 0.01 --to BTC', 2, /no coin btd/, /Did you mean btc/],
      ['bchsv 0.01 --to BTC', 2, /renamed/, /now bsv/],
      [`usdt 50 --to ${EVM} --chain BEP20`, 2, /over bep20 are suspended/, /Open: trc20, erc20/],
      ['usdt 50 --to USDT --chain SOL', 2, /no chain SOL/, /trc20/],
      ['xrp 30 --to XRP', 2, /needs a memo/, /--memo/],
      ['btc 0.01 --to BTC --memo 12', 2, /takes no memo/, /Leave out --memo/],
      ['btc 0.0004 --to BTC', 2, /Nothing would arrive/, /withdrawFee/],
      ['btc 0.0008 --to BTC', 3, /minimum/, /Nothing was moved.*minimum and a maximum/],
      ['btc 5000 --to BTC', 2, /is available/, /pit balance/],
      ['btc 0.0100000001 --to BTC', 2, /more decimals/, /At most 8/],
      ['btc 0.01 --to BTC --fee 0.0001', 2, /below that of btc/, /Leave out --fee/],
      ['btc 0.01 --to BTC --fee 3', 2, /more than 3 times that of btc/, /Give --fee at most 0.0015, or leave it out/],
      ['btc 0.01usdt --to BTC', 2, /amount is in usdt/, /Write it in btc/],
      [`btc 0.01 --to ${OTHER}`, 3, /not a verified address/, /Nothing was moved.*verified/],
      ['btc 0.01 --to 1Boat', 3, /not a verified address/, /Nothing was moved.*verified/],
      ['btc 0 --to BTC', 2, /above zero/, /50%/],
    ];
    for (const [words, exitCode, message, hint] of refusals) {
      const error = await pit.failure(scripted(words), exitCode, password());
      expect([words, error.message]).toEqual([words, expect.stringMatching(message)]);
      expect([words, error.hint]).toEqual([words, expect.stringMatching(hint)]);
    }
    const wrong = await pit.failure(scripted('btc 0.01 --to BTC'), 3, { input: 'not the password' });
    expect(wrong).toMatchObject({ code: 1005, hint: expect.stringContaining('the one for withdrawals') });
    expect(wrong.clientId).toMatch(/^pit/);
    const keyless = await keyWith(pit, 'trader', 'asset,entrust');
    const error = await pit.failure(scripted('btc 0.01 --to BTC'), 4, { ...keyless, ...password() });
    expect(error).toMatchObject({ message: expect.stringContaining('lacks the money permission') });
    expect(await ledger()).toEqual(before);
    expect(await pit.json('resolve')).toEqual([]);
  });

  it.each([
    ['btc', 2, 'The amount is missing.'],
    ['btc 0.01', 2, 'The address is missing.'],
    ['btc 0.01 --to BTC', 8, 'A withdrawal needs confirmation'],
    ['btc 0.01 --to BTC --yes', 8, 'A withdrawal needs confirmation'],
    ['btc 0.01 --to BTC --yes --safe-pwd-stdin', 8, 'A withdrawal needs confirmation'],
    ['btc 0.01 --to BTC --confirm-address BTC', 8, 'The fund password is missing'],
    ['btc 0.01 --to BTC --confirm-address 1Boat --safe-pwd-stdin', 2, 'differs from that of --to'],
    ['btc 0.01 --to BTC --safe-pwd-stdin --safe-pwd-fd 3', 2, 'exclude each other'],
    ['btc 0.01 --to BTC --confirm-address BTC --safe-pwd-fd 1', 2, '--safe-pwd-fd must be'],
    ['btc 0.01 --to BTC --confirm-address BTC --safe-pwd-fd 999', 2, 'file descriptor 999 could not be read'],
    ['btc 0.01 --to BTC --safe-pwd secret', 2, 'unknown'],
  ])('sends no invalid withdrawal: %s', async (words, exitCode, message) => {
    const error = await pit.failure(line(`withdraw ${words}`), exitCode);
    expect(error.message.toLowerCase()).toContain(message.toLowerCase());
  });

  it.each([
    ['no text', '', 'is empty'],
    ['two lines', 'one\ntwo', 'more than one line'],
    ['a control character', 'bell\u0007', 'control characters'],
    ['too long a text', 'x'.repeat(501), '500 characters'],
  ])('rejects %s as the fund password without quoting it', async (_, input, message) => {
    const { code, stderr } = await pit.run(`${scripted('btc 0.01 --to BTC')} --json`, { input });
    expect(code).toBe(2);
    expect(lastError(stderr).message).toContain(message);
    if (input !== '') expect(stderr).not.toContain(input);
  });
});

describe('a withdrawal by a script', () => {
  it('prints every field of the contract, with the fee of the chain', async () => {
    const result = await pit.json(scripted('btc 0.0123 --to BTC'), password());
    expect(result).toStrictEqual({
      ...{ outcome: 'placed', id: ID, coin: 'btc', amount: '0.0123', fee: '0.0005', receives: '0.0118' },
      ...{ address: verified.btc, memo: null, internal: false, duplicates: [] },
    });
    const [record] = await pit.json<Record[]>('withdrawals btc');
    expect(record).toMatchObject({ id: (result as Record).id, amount: expect.stringMatching(/^0\.0123/) });
  });

  it('joins address and memo for the exchange, given either way', async () => {
    const { address, memo } = verified.xrp;
    for (const to of ['XRP --memo MEMO', 'XRP_MEMO']) {
      const words = line(`withdraw xrp 30 --to ${to}`.replace('XRP_MEMO', `${address}_${memo}`));
      const confirmed = `--confirm-address ${to === 'XRP_MEMO' ? `${address}_${memo}` : address}`;
      const result = await pit.json(`${words} ${confirmed} --safe-pwd-stdin`, password());
      expect(result).toMatchObject({ outcome: 'placed', address, memo });
    }
    const records = await pit.json<Record[]>('withdrawals xrp');
    expect(records.map((record) => record.address)).toEqual([`${address}_${memo}`, `${address}_${memo}`]);
  });

  it('a dry run previews the withdrawal, sends nothing and asks for no password', async () => {
    const before = await ledger();
    const error = await pit.json<object>(line('withdraw usdt 1% --to USDT --dry-run'));
    expect(error).toMatchObject({
      dryRun: true,
      operation: 'withdraw',
      request: { method: 'withdraw', currency: 'usdt', receiveAddr: verified.usdt, safePwd: '***', sign: '***' },
      preview: {
        ...{ price: null, amount: DECIMAL, notional: null, fee: '1', coin: 'usdt', chain: 'trc20', usedBefore: false },
        warnings: [expect.stringMatching(/^FIRST USE/), expect.stringContaining('pit does not send it')],
      },
    });
    expect(JSON.stringify(error)).not.toContain(pit.served.address.safePwd);
    expect(await ledger()).toEqual(before);
  });
});

describe('a withdrawal on a bad network', () => {
  it.each([
    ['drop-after', '0.0201'],
    ['truncate', '0.0202'],
    ['html-after', '0.0203'],
  ])('finds the withdrawal without an answer after %s', async (fault, amount) => {
    await pit.done(`sandbox fault add ${fault} --operation withdraw --count 1`);
    expect(await pit.json(scripted(`btc ${amount} --to BTC`), password())).toMatchObject({
      outcome: 'placed',
      id: ID,
    });
    const records = await pit.json<Record[]>('withdrawals btc');
    expect(records.filter((record) => Number(record.amount) === Number(amount))).toHaveLength(1);
  });

  it('reports a withdrawal that was executed twice with a warning', async () => {
    await pit.done('sandbox fault add twice --operation withdraw --count 1');
    const { code, stderr, stdout } = await pit.run(`${scripted('btc 0.031 --to BTC')} --json`, password());
    const records = await pit.json<Record[]>('withdrawals btc');
    const ids = records.filter(({ amount }) => Number(amount) === 0.031).map(({ id }) => id);
    expect([code, ids.length]).toEqual([9, 2]);
    const made = document<{ id: string; duplicates: string[] }>(stdout);
    expect([made.id, ...made.duplicates].sort()).toEqual([...ids].sort());
    expect(stderr).toContain('THE WITHDRAWAL WAS MADE MORE THAN ONCE: 0.031 btc');
    for (const id of ids) expect(`${stdout}${stderr}`).toContain(id);
  });
});

describe("the user's own limits", () => {
  it('the limits apply to every script, and only a person can loosen them', async () => {
    const set = (setting: string) => pit.done(`profile set sandbox ${setting}`);
    await pit.json(scripted('btc 0.14 --to BTC'), password());
    await set('withdrawLimit 0.05btc');
    const most = await pit.failure(scripted('btc 0.06 --to BTC'), 2, password());
    expect(most.message).toContain('more than your limit for one withdrawal, 0.05 btc');
    expect(most.hint).toContain('pit profile set sandbox withdrawLimit VALUE');
    await set('withdrawDayLimit 0.3btc');
    for (const words of ['withdrawLimit 1btc', 'withdrawLimit 1eth', 'withdrawDayLimit 0.4btc --yes']) {
      const error = await pit.failure(`profile set sandbox ${words}`, 8);
      expect(error.message).toContain('loosens the limit');
    }
    await pit.failure('profile unset sandbox withdrawLimit --yes', 8);
    await set('withdrawDayLimit 0.18btc');
    const day = await pit.failure(scripted('btc 0.049 --to BTC'), 2, password());
    expect(day.message).toMatch(
      /With 0\.14 btc withdrawn today, this makes 0\.189 btc, more than your limit for a day/,
    );
    await set(`withdrawAddresses ${verified.usdt}`);
    const listed = await pit.failure(scripted('btc 0.01 --to BTC'), 2, password());
    expect(listed.message).toContain('not in your list of allowed addresses');
    await pit.failure(`profile set sandbox withdrawAddresses ${verified.usdt},${verified.btc} --yes`, 8);
  });

  it('typing the name of a limit loosens it', async () => {
    const limits = { withdrawLimit: '0.05btc', withdrawDayLimit: '0.18btc', withdrawAddresses: verified.usdt };
    for (const [setting, value] of Object.entries(limits)) {
      await pit.done(`profile set sandbox ${setting} ${value}`);
      const steps = [{ await: 'to loosen it:', type: `${setting}\r` }];
      const done = await at(`profile unset sandbox ${setting}`, steps);
      expect([setting, done.status, done.screen]).toEqual([
        setting,
        0,
        expect.stringContaining(`Unset ${setting} of sandbox.`),
      ]);
    }
  });
});

async function at(words: string, steps: readonly TerminalStep[], columns = 80) {
  const result = await pit.terminal(words, { steps, environment: { NO_COLOR: '1' }, columns, rows: 60 });
  expect(result.echoes).toBe(true);
  return result;
}

describe('a withdrawal at a terminal', () => {
  const CONFIRM = 'to send it:';

  it('the end of the address confirms the withdrawal, and the password is typed without showing it', async () => {
    const { safePwd } = pit.served.address;
    await pit.json(scripted('btc 0.0123 --to BTC'), password());
    const { screen, status } = await at(line('withdraw btc 0.0111 --to BTC'), [
      { await: CONFIRM, type: `${verified.btc.slice(-6)}\r` },
      { await: 'password:', type: `${safePwd}\r` },
    ]);
    expect(status).toBe(0);
    expect(screen).toContain(verified.btc.replace(/(.{4})/g, '$1 ').trim());
    expect(screen).toMatch(/arrives +0\.0106 btc \(assumed\)/);
    expect(screen).toMatch(/used before +yes, last/);
    expect(screen).not.toContain(safePwd);
    expect(screen).toMatch(/withdrawal +submitted/);
  });

  it.each([
    ['another end', [{ await: CONFIRM, type: 'abcdef\r' }], 8],
    ['yes', [{ await: CONFIRM, type: 'yes\r' }], 8],
    ['nothing', [{ await: CONFIRM, type: '\r' }], 8],
    ['Ctrl-D', [{ await: CONFIRM, type: '\u0004' }], 8],
    ['Ctrl-C', [{ await: CONFIRM, type: '\u0003' }], 130],
  ])('sends nothing for %s', async (_, steps, status) => {
    const before = await idsOf('btc');
    const done = await at(line('withdraw btc 0.0112 --to BTC'), steps);
    expect(done.status).toBe(status);
    expect(await idsOf('btc')).toEqual(before);
  });

  it('asks for what is missing, and shows the same command in one line', async () => {
    const { address, memo } = verified.xrp;
    const { screen, status } = await at(
      'withdraw --dry-run',
      [
        { await: 'Which coin?', type: 'xrp' },
        { await: 'Which coin? xrp', type: '\r' },
        { await: 'to which address?', type: `${address}\r` },
        { await: 'Memo', type: `${memo}\r` },
        { await: 'How much xrp', type: '30\r' },
      ],
      200,
    );
    expect(status).toBe(0);
    expect(screen).toContain(`pit withdraw xrp 30 --to ${address} --memo ${memo} --dry-run`);
    expect(screen).toContain('Dry run: nothing was sent.');
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { warnings } from '../../support/json-lines.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });
const none = useLiteralExchange({
  '/api/getFeeInfo': '{"code":1000,"result":{"BTC":[{"chainName":"BTC","fee":0.0005}]}}',
  '*': '{"code":1001,"message":"there is no address for this coin yet"}',
});
const joined = useLiteralExchange({
  '/api/getFeeInfo': '{"code":1000,"result":{}}',
  '/api/getUserAddress': '{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"key":"rBox_104532"}}}',
  '*': '{"code":1001,"message":"not for this coin"}',
});
const OBTAIN = /^Obtain it first/;

interface Row {
  readonly coin: string;
  readonly chain: string | null;
  readonly address: string;
  readonly memo: string | null;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
}

describe('pit address', () => {
  it('prints one untruncated line per chain in a pipe and warns about closed chains', async () => {
    const rows = await pit.json<Row[]>('address USDT');
    expect(rows.map(({ chain, canDeposit, canWithdraw }) => [chain, canDeposit, canWithdraw])).toEqual([
      ['trc20', true, true],
      ['erc20', true, true],
      ['bep20', true, false],
      ['omni', false, false],
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual(['coin', 'chain', 'address', 'memo', 'canDeposit', 'canWithdraw']);
    const { stdout, stderr } = await pit.run('address usdt');
    const [, ...lines] = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ +/)[2])).toEqual(rows.map(({ address }) => address));
    expect(stderr).toBe('Warning: usdt on omni: DEPOSITS ARE CLOSED: send nothing here now.\n');
  });

  it('warns that a memo is required', async () => {
    const [row] = await pit.json<Row[]>('address xrp');
    expect(row).toMatchObject({ chain: 'xrp', memo: expect.stringMatching(/^\d{12}$/) });
    const message = `xrp on xrp: THE MEMO ${row?.memo} IS REQUIRED: coins sent without it are lost.`;
    for (const format of ['', ' --csv'])
      expect((await pit.run(`address xrp${format}`)).stderr).toBe(`Warning: ${message}\n`);
    expect(warnings((await pit.run('address xrp --json')).stderr)).toEqual([{ message, hint: null }]);
    expect(await pit.json<Row[]>('address xrp --single')).toEqual([{ ...row, chain: null }]);
  });

  it('warns that an address may contain a memo, without splitting it', async () => {
    const { stdout, stderr } = await pit.run('address xrp --json', joined.extra);
    expect(JSON.parse(stdout)).toEqual([
      { coin: 'xrp', chain: null, address: 'rBox_104532', memo: null, canDeposit: null, canWithdraw: null },
    ]);
    const message = 'xrp: If its chain uses memos, this is ACCOUNT_MEMO and both are required.';
    expect(warnings(stderr)).toEqual([{ message, hint: null }]);
  });

  it('reads the single deposit address and the verified withdrawal address', async () => {
    const [row] = await pit.json<Row[]>('address btc');
    expect(await pit.json<Row[]>('address btc --single')).toEqual([{ ...row, chain: null }]);
    const [verified] = await pit.json<Row[]>('address btc --withdraw');
    expect(verified).toMatchObject({ chain: null, memo: null, canWithdraw: true });
    expect(verified?.address).not.toBe(row?.address);
    expect((await pit.failure('address btc --single --withdraw', 2)).message).toMatch(/exclude each other/);
  });

  it('says how to obtain a missing address', async () => {
    for (const line of ['address btc', 'address btc --single', 'address btc --withdraw'])
      expect(await pit.failure(line, 3, none.extra)).toMatchObject({
        code: 1001,
        hint: expect.stringMatching(OBTAIN),
      });
  });
});

describe('pit address on a terminal', () => {
  let rows: Row[] = [];
  beforeAll(async () => {
    rows = await pit.json<Row[]>('address usdt');
  });

  async function screenOf(line: string, columns: number, rows = 60): Promise<string[]> {
    const { screen, status } = await pit.terminal(line, { environment: { NO_COLOR: '1' }, columns, rows });
    expect(status).toBe(0);
    return screen.split('\r\n');
  }

  it.each([40, 80, 200])(
    'prints each address whole on its own line, with its QR code, at %i columns',
    async (columns) => {
      const lines = await screenOf('address usdt', columns);
      for (const { address } of rows) expect(lines).toContain(address);
      expect(lines.filter((line) => /^█+$/.test(line))).toHaveLength(3);
      expect(lines.join(' ')).toMatch(/DEPOSITS ARE CLOSED: send nothing here now\. *$/);
    },
  );

  it('prints the memo prominently and says that the QR code lacks it', async () => {
    const [row] = await pit.json<Row[]>('address eos');
    const lines = await screenOf('address eos', 80);
    expect(lines.slice(0, 4)).toEqual([
      'eos on eos',
      row?.address,
      `memo ${row?.memo}`,
      `THE MEMO ${row?.memo} IS REQUIRED: coins sent without it are lost.`,
    ]);
    expect(lines).toContain('The QR code lacks the memo: type it yourself.');
  });

  it('omits the QR code and says so when it does not fit', async () => {
    expect(await screenOf('address btc', 80, 10)).toEqual([
      'btc on btc',
      expect.any(String),
      'The QR code does not fit here.',
      '',
    ]);
    expect(await screenOf('address btc', 30)).toContain('The QR code does not fit here.');
    expect((await screenOf('address btc --withdraw', 80)).join('\n')).not.toMatch(/█|QR/);
  });
});

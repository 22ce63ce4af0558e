import { describe, expect, it, onTestFinished } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { startDocumentExchange } from '../../support/document-exchange.js';
import { type LiteralAnswer, lostAnswer } from '../../support/world/hosts.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { literalExchange } from '../literal-exchange.js';
import { DECIMAL, document, ID, lastError, TEXT, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });

describe('pit api with an operation that reads', () => {
  it('prints the body with its numbers as sent', async () => {
    const { stdout } = await pit.run('api depth market=btc_usdt size=3 --json');
    // amounts keep their zeros, which a number would lose
    expect(stdout).toMatch(/^\{"asks":\[\[\d+\.\d+,\d+\.\d{6}\]\],.*"timestamp":\d+\}\n$/);
    expect(await pit.done('api depth market=btc_usdt size=3 --raw')).toMatch(/^\{"asks":\[\[/);
  });

  it.each<[string, object]>([
    ['ticker market=btc_usdt', { ticker: { last: DECIMAL }, date: ID }],
    ['getAccountInfo', { result: { base: { username: TEXT } }, entrustPerm: true }],
    ['getFeeInfo currency=btc', { code: 1000, result: { BTC: [{ chainName: TEXT }] } }],
  ])('%s', async (line, form) => {
    expect(await pit.json(`api ${line}`)).toMatchObject(form);
  });

  it('prints a table on a terminal and rows in CSV', async () => {
    expect(await pit.done('api markets')).toMatch(/^key +priceScale .*\nbtc_usdt +2 +6 /);
    const { header, rows } = await pit.csv('api markets');
    expect(header).toBe('key,priceScale,amountScale,minAmount,minSize');
    expect(rows[0]).toBe('btc_usdt,2,6,0.0001,1');
    expect(await pit.done('api ticker market=btc_usdt')).toMatch(/ticker\.last +\d+\.\d\d\n/);
  });

  it.each([
    ['getAccountInfo', 'result.base.username, result.base.trade_password_enabled'],
    ['depth market=btc_usdt', 'bids, timestamp'],
    ['kline market=btc_usdt type=1min', 'moneyType, symbol'],
    ['getWithdrawRecord currency=btc pageIndex=1 pageSize=10', 'message.datas.pageIndex, message.datas.pageSize'],
  ])('%s is refused as CSV, which would drop a part', async (line, missing) => {
    const { code, stdout, stderr } = await pit.run(`api ${line} --csv`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`also has ${missing}`);
    expect(stderr).toContain('--json has all of it.');
  });

  it('drops nothing but the words of success in CSV', async () => {
    const { header, rows } = await pit.csv('api getFeeInfo currency=btc');
    expect([header, rows]).toEqual([
      'chainName,mainChainName,fee,canDeposit,canWithdraw',
      [expect.stringMatching(/^btc,btc,/)],
    ]);
  });

  it.each([
    ['ticker', /market is missing/, /ticker takes market/],
    ['ticker market=btc-usdt', /market must be a market like btc_usdt/, /ticker takes market/],
    ['ticker market=btc_usdt market=eth_usdt', /market is given twice/, /once/],
    ['depth market=btc_usdt size=51', /size must be a whole number from 1 to 50/, /\[size\]/],
    ['depth market=btc_usdt levels=2', /levels is not a parameter of depth/, /depth takes market/],
    ['depth btc_usdt', /"btc_usdt" is not a parameter/, /name=value/],
    ['getOrder currency=btc_usdt', /exclude each other, and one of them is required/, /customerOrderId/],
    ['getorders currency=btc_usdt', /no operation "getorders"/, /pit api getOrders currency=btc_usdt/],
    ['../order a=b', /is not the name of an operation/, /Known operations: markets/],
    ['setExpressState accesskey=me', /accesskey is filled in with the signature/, /name=value/],
    ['setExpressState a-b=c', /"a-b" is not a name/, /name=value/],
    ['withdraw amount=1 safePwd=geheim1', /safePwd cannot be given on the command line/, /pit withdraw/],
    ['setRepayState tradePassword=geheim1', /tradePassword cannot be given/, /pit withdraw/],
    [
      'withdraw currency=btc amount=1 fees=0.001 receiveAddr=x',
      /Only pit withdraw/,
      /pit withdraw btc 1 --to x --fee 0.001/,
    ],
  ])('refuses %s', async (line, message, hint) => {
    const error = await pit.failure(`api ${line} --yes`, 2);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    expect(JSON.stringify(error)).not.toContain('geheim');
  });
});

describe('pit api with a write uses the journal, guards and confirmation of its command, and', () => {
  it('places an order like pit order', async () => {
    const line = 'api order currency=btc_usdt tradeType=1 price=26000 amount=0.01';
    expect((await pit.failure(line, 8)).message).toContain('needs confirmation');
    expect((await pit.failure(`${line}.5 --yes`, 2)).kind).toBe('usage');
    const high = line.replace('26000', '99000');
    expect((await pit.failure(`${high} --yes`, 2)).message).toMatch(/^price-band blocks this/);
    expect((await pit.failure(`${line} enableExpress=true --yes`, 2)).message).toContain('margin account');
    const dry = await pit.json<{ dryRun: boolean }>(`${line} orderType=1 --dry-run`);
    expect(dry).toMatchObject({ dryRun: true, operation: 'order', request: { orderType: '1', sign: '***' } });
    const placed = await pit.json(`${line} customerOrderId=apiorder1 orderType=9 --yes`);
    expect(placed).toEqual({ code: '1000', message: TEXT, id: ID });
    const again = await pit.failure(`${line} customerOrderId=apiorder1 --yes`, 2);
    expect(again.message).toContain('The client id apiorder1 is taken by order');
    const [resolved] = await pit.json<{ outcome: string }[]>('resolve apiorder1');
    expect(resolved).toMatchObject({ operation: 'order', outcome: 'placed', market: 'btc_usdt' });
  });

  const UNNAMED = 'api order currency=btc_usdt tradeType=1 price=27900 amount=0.0123';

  it('says before it sends an order without a customerOrderId that no name can show its outcome', async () => {
    const dry = await pit.json<{ request: object; preview: { warnings: string[] } }>(`${UNNAMED} --dry-run`);
    expect(Object.keys(dry.request)).not.toContain('customerOrderId');
    expect(dry.preview.warnings).toContain(
      'It is sent without a client id. If no answer comes, only the list of orders may show it: add customerOrderId=YOURID.',
    );
    expect(await pit.done(`${UNNAMED} --dry-run`)).toMatch(/client id +none\n/);
    const named = await pit.json<{ preview: object }>(`${UNNAMED} customerOrderId=typed2 --dry-run`);
    expect(named.preview).toMatchObject({ warnings: [] });
  });

  it('finds an order without a name in the list if its answer is lost, and sends it once', async () => {
    await pit.done('sandbox fault add drop-after --operation order --count 1');
    const { code, stdout, stderr } = await pit.run(`${UNNAMED} --yes --json`);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(document(stdout)).toMatchObject({ outcome: 'placed', id: ID, duplicates: [] });
    const open = await pit.json<{ amount: string; clientId: string | null }[]>('orders btc_usdt');
    expect(open.filter(({ amount }) => amount.startsWith('0.0123'))).toMatchObject([{ clientId: null }]);
  });

  it('reports an order without a name that the network executed twice', async () => {
    await pit.done('sandbox fault add twice --operation order --count 1');
    const { code, stderr } = await pit.run(`${UNNAMED.replace('0.0123', '0.0124')} --yes --json`);
    expect(code).toBe(9);
    expect(stderr).toContain('THE ORDER WAS PLACED MORE THAN ONCE');
  });

  it('places and cancels a batch, with every digit of its ids', async () => {
    const pairs = 'api orderMoreV2 market=eth_usdt tradeType=1 tradeParams=[[1500,0.1],[1501,0.2]]';
    expect((await pit.failure(pairs, 8)).kind).toBe('declined');
    const wild = await pit.failure('api orderMoreV2 market=eth_usdt tradeType=1 tradeParams=[[9000,0.1]] --yes', 2);
    expect(wild.message).toMatch(/^price-band blocks this/);
    const far = await pit.failure(`${pairs} --yes`, 2);
    expect(far.message).toMatch(/the limit for an order of a batch/);
    const body = await pit.done(`${pairs} --yes --json --override price-band`);
    const [id = ''] = /\d{15,}/.exec(body) ?? [];
    expect(body).toMatch(/^\{"code":"1000","message":"[^"]*","data":\[\d+,\d+\]\}\n$/);
    const cancelled = await pit.json(`api cancelOrder currency=eth_usdt id=${id}`);
    expect(cancelled).toMatchObject({ code: 1000, message: { isSuc: true } });
    expect((await pit.failure(`api cancelOrder currency=eth_usdt id=${id}`, 3)).code).toEqual(expect.any(Number));
  });

  it('sends the numbers of a described operation in plain digits', async () => {
    const dryRun = (line: string) => pit.json<{ request: object }>(`api ${line} --dry-run`);
    const single = await dryRun('order currency=btc_usdt tradeType=1 price=2.6E+4 amount=1.0e-02');
    expect(single.request).toMatchObject({ price: '26000', amount: '0.01' });
    const batch = await dryRun('orderMoreV2 market=eth_usdt tradeType=1 tradeParams=[[1.5e3,1e-01],[1501,0.2]]');
    expect(batch.request).toMatchObject({ tradeParams: '[[1500,0.1],[1501,0.2]]' });
    const tooLong = await pit.failure('api order currency=btc_usdt tradeType=1 price=1e99 amount=1', 2);
    expect(tooLong.message).toMatch(/price must be a decimal number above zero/);
  });

  it('starts the timer like pit cancel-after', async () => {
    const line = 'api cancelAllOrdersAfter currency=ltc_usdt';
    expect((await pit.failure(line, 8)).kind).toBe('declined');
    const { stdout, stderr } = await pit.run(`${line} --yes --json`);
    expect(document(stdout)).toMatchObject({ code: 1000 });
    expect(stderr).toContain('The exchange will cancel EVERY order of ltc_usdt');
  });
});

describe('pit api with an undocumented operation', () => {
  it('sends every value as typed', async () => {
    const { request } = await pit.json<{ request: object }>('api setExpressState price=1e-05 --dry-run');
    expect(request).toMatchObject({ price: '1e-05' });
  });

  it.each([
    'orderV2 currency=btc_usdt tradeType=1 price=99999 amount=0.01',
    'orderMore market=btc_usdt tradeType=1 tradeParams=[[26000,0.01],[99999,0.01]]',
    'orderV2 currency=btc_usdt price=9000 amount=0.01',
    'orderV2 currency=btc_usdt price=9.9999e4 amount=1e-02',
    'orderMore market=btc_usdt tradeType=1 tradeParams=[[2.6e4,0.01],[9.9999e4,1e-02]]',
  ])('the guards check an operation that looks like orders: %s', async (line) => {
    const { message, hint } = await pit.failure(`api ${line} --yes`, 2);
    expect(message).toMatch(/^price-band blocks this/);
    expect(hint).toContain('--override price-band');
    const dry = await pit.json<{ preview: { warnings: string[] } }>(`api ${line} --dry-run`);
    expect(dry.preview.warnings[0]).toContain('price-band');
    // lifted by its name it leaves, and the sandbox does not know it
    expect((await pit.failure(`api ${line} --yes --override price-band`, 3)).code).toBe(1001);
  });

  it.each(['withdrawV2 currency=btc amount=3', 'payOut currency=btc amount=3 receiveAddr=1abc'])(
    'refuses an operation that moves coins out in favour of pit withdraw: %s',
    async (line) => {
      expect((await pit.failure(`api ${line} --yes`, 2)).message).toMatch(/Only pit withdraw/);
    },
  );

  /** An exchange that answers each request so, and what it was sent. */
  const served = (answer: LiteralAnswer) => {
    const sent: (readonly [path: string, names: string, values: Readonly<Record<string, string>>])[] = [];
    const { extra } = literalExchange((path, parameters, signal) => {
      const { accesskey, method, sign, reqTime, ...values } = Object.fromEntries(parameters);
      sent.push([path, [...parameters.keys()].join(), values]);
      return answer(path, parameters, signal);
    });
    return { sent, extra };
  };

  it('announces the operation, asks for confirmation, and signs and sends it once', async () => {
    const { sent, extra } = served(() => '{"code":1000,"id":12345678901234567890,"rate":0.10}');
    expect((await pit.failure('api setExpressState currency=btc_usdt', 8, extra)).kind).toBe('declined');
    expect(await pit.done('api setExpressState currency=btc_usdt --dry-run', extra)).toContain('nothing was sent');
    expect(sent).toEqual([]);
    const { stdout, stderr } = await pit.run('api setExpressState currency=btc_usdt state=a&b --yes --json', extra);
    expect(stdout).toBe('{"code":1000,"id":12345678901234567890,"rate":0.10}\n');
    expect(stderr).toContain('The interface does not describe setExpressState, so it counts as a write');
    expect(sent).toEqual([
      ['/api/setExpressState', 'method,accesskey,currency,state,sign,reqTime', { currency: 'btc_usdt', state: 'a&b' }],
    ]);
    expect(await pit.json('resolve', extra)).toEqual([]);
  });

  it('reports a refusal by the exchange', async () => {
    const { sent, extra } = served(() => '{"code":1012,"message":"no permission"}');
    expect(await pit.failure('api setRepayState --yes', 3, extra)).toMatchObject({ code: 1012 });
    expect(sent).toHaveLength(1);
  });

  it('an operation without an answer is unknown, not repeated, and settled by the user', async () => {
    const { sent, extra } = served(lostAnswer);
    const line = 'api setExpressState currency=btc_usdt --yes --json';
    const { code, stdout, stderr } = await pit.run(line, extra);
    expect(code).toBe(6);
    const { clientId } = document<{ clientId: string }>(stdout);
    expect(lastError(stderr)).toMatchObject({
      clientId,
      hint: expect.stringContaining(`pit resolve ${clientId} --as done`),
    });
    for (const again of [line, line.replace('--yes', '--dry-run')]) {
      const { message } = await pit.failure(again, 2, extra);
      expect(message).toContain('The outcome of the same call');
    }
    const looked = await pit.run('resolve --json', extra);
    expect(looked.code).toBe(6);
    expect(document(looked.stdout)).toMatchObject([{ operation: 'call', market: null, outcome: 'unknown' }]);
    expect((await pit.failure('resolve --as done', 2, extra)).kind).toBe('usage');
    expect(await pit.json(`resolve ${clientId} --as notSent`, extra)).toMatchObject([{ outcome: 'notSent' }]);
    expect(await pit.json('resolve', extra)).toEqual([]);
    expect(sent.filter(([path]) => path === '/api/setExpressState')).toHaveLength(1);
  });
});

describe('pit api on an exchange that knows the document alone', () => {
  const MARGIN = 'order currency=btc_usdt tradeType=1 price=31000.5 amount=0.0123 acctType=1';

  async function sentBy(line: string) {
    const exchange = startDocumentExchange(line.startsWith('getOrders') ? { getOrders: '[]' } : {});
    onTestFinished(() => exchange.close());
    const { environment } = exchange;
    const { code, stderr } = await pit.run(`api ${line} --yes`, { environment });
    return { code, stderr, broken: exchange.broken, last: exchange.requests };
  }

  it.each([
    'order currency=btc_usdt tradeType=1 price=31000.50 amount=0.0100 acctType=0 enableExpress=false enableRepay=0 orderType=0',
    'order currency=btc_usdt tradeType=0 price=31000.5 amount=0.0123 orderType=limit',
    `${MARGIN} enableExpress=1 enableRepay=true`,
    'orderMoreV2 market=btc_usdt tradeType=1 tradeParams=[[31000.5,0.01]] acctType=0',
    'cancelOrder currency=btc_usdt customerOrderId=typed1',
  ])('sends exactly what was typed, the method, the key, the signature and the time: %s', async (line) => {
    const [operation = '', ...typed] = line.split(' ');
    const { last, broken } = await sentBy(line);
    const sent = last.filter((one) => one.startsWith(`/api/${operation}?`));
    expect([sent.length, broken]).toEqual([1, []]);
    const { accesskey, sign, reqTime, method, ...parameters } = Object.fromEntries(
      new URLSearchParams(sent[0]?.split('?')[1]),
    );
    expect([method, accesskey, sign, reqTime]).toEqual([operation, ...Array(3).fill(expect.any(String))]);
    expect(parameters).toEqual(Object.fromEntries(new URLSearchParams(typed.join('&'))));
  });

  it.each([
    'getOrders currency=btc_usdt',
    'getOrders currency=btc_usdt pageIndex=0 tradeType=0',
    'getSpotBills pageIndex=0',
    'getChargeRecord currency=btc pageIndex=0 pageSize=1000',
    'getWithdrawRecord currency=btc pageIndex=2000000 pageSize=0',
    'order currency=btc_usdt tradeType=0 price=31000.5 amount=1 orderType=7',
  ])('refuses nothing that the document has no rule for: %s', async (line) => {
    const { last } = await sentBy(line);
    expect(last.some((one) => one.startsWith(`/api/${line.split(' ')[0]}?`))).toBe(true);
  });

  it.each([
    ['getSpotBills startDate=2022-13-45', /startDate/],
    ['getSpotBills pageSize=51', /pageSize/],
    ['getWithdrawRecord currency=btc pageIndex=0 pageSize=10', /pageIndex/],
    ['order currency=btc_usdt tradeType=2 price=1 amount=1', /tradeType/],
    ['order currency=btc_usdt tradeType=1 price=1 amount=1 customerOrderId=abc', /customerOrderId/],
    [`${MARGIN} enableExpress=2`, /enableExpress/],
  ])('refuses what breaks a rule of the document, and sends nothing: %s', async (line, message) => {
    const { code, stderr, last } = await sentBy(line);
    expect({ code, stderr, last }).toEqual({ code: 2, stderr: expect.stringMatching(message), last: [] });
  });
});

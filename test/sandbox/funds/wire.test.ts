import { describe, expect, it } from 'vitest';
import { get, serveInterface } from '../server/wire.js';
import { FundsFixture, sharedFixture } from './fixture.js';

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const WATCHER = 'accesskey=ak-0001';

/** Ids of 18 digits depend on the clock and on simulated traders, hashes on ids: only their form is compared. */
function plain(body: string): string {
  return body.replace(/(?<!\d)2018\d{14}(?!\d)/g, '<18 digits>').replace(/[0-9a-f]{64}/g, '<hash>');
}

/** The body that answers a signed query at the box's time; reqTime is not signed. */
async function ask(fixture: FundsFixture, path: string): Promise<string> {
  return plain(await fixture.ask(`${path}&reqTime=${fixture.clock.time}`));
}

describe('addresses on the wire', () => {
  const shared = sharedFixture();
  const answers: readonly (readonly [what: string, path: string, body: string])[] = [
    [
      'getUserAddress',
      `/api/getUserAddress?${ALICE}&currency=btc&method=getUserAddress&sign=d344dd6ed75f1b7b164c2077bfdc374b`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"key":"1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM"}}}',
    ],
    [
      'getUserAddress of a memo chain, account and memo in one',
      `/api/getUserAddress?${ALICE}&currency=eos&method=getUserAddress&sign=7c09488bcac43c0aab299d98fe1f7468`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"key":"boxpyyovxa42_637228143358"}}}',
    ],
    [
      'getPayinAddress of a coin with several chains, some closed',
      `/api/getPayinAddress?${ALICE}&currency=USDT&method=getPayinAddress&sign=95c977bd99a5e24576987cfba703b7bb`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":[' +
        '{"blockChain":"trc20","canDeposit":true,"canWithdraw":true,"isUseMemo":false,"address":"TT8KuRqWDf5H5D7kKt2aUEe3Bj9JL9n9M9"},' +
        '{"blockChain":"erc20","canDeposit":true,"canWithdraw":true,"isUseMemo":false,"address":"0x54121adf050566107229671be648f286eb82eb83"},' +
        '{"blockChain":"bep20","canDeposit":true,"canWithdraw":false,"isUseMemo":false,"address":"0x04b5bb30b57322e8ee8dc5ccc71377838582f9e7"},' +
        '{"blockChain":"omni","canDeposit":false,"canWithdraw":false,"isUseMemo":false,"address":"1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM"}]}}',
    ],
    [
      'getPayinAddress of a memo chain',
      `/api/getPayinAddress?${ALICE}&currency=eos&method=getPayinAddress&sign=e337e428e9cff63319b17c73932f25fd`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":[{"blockChain":"eos","canDeposit":true,' +
        '"canWithdraw":true,"isUseMemo":true,"account":"boxpyyovxa42","memo":"637228143358"}]}}',
    ],
    [
      'getWithdrawAddress',
      `/api/getWithdrawAddress?${ALICE}&currency=btc&method=getWithdrawAddress&sign=962c0410e3c47b3a164fedd1fdfbcb46`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"key":"1bufx3ipu2xRREHASWVanDrwUBrsnXYD4M"}}}',
    ],
    [
      'getUserAddress of a coin with several chains',
      `/api/getUserAddress?${ALICE}&currency=USDT&method=getUserAddress&sign=e9536f04c297620f18dfb1189bd9a7a4`,
      '{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"key":"TT8KuRqWDf5H5D7kKt2aUEe3Bj9JL9n9M9"}}}',
    ],
    [
      'an old coin name',
      `/api/getPayinAddress?${ALICE}&currency=hsr&method=getPayinAddress&sign=f6b62609515363358d2ba086aabd50d2`,
      '{"code":1001,"message":"unknown coin: hsr (hsr is hc now)"}',
    ],
    [
      'an unknown coin',
      `/api/getWithdrawAddress?${ALICE}&currency=doge&method=getWithdrawAddress&sign=9c955a046eaab7e36d36667dea60bb4b`,
      '{"code":1001,"message":"unknown coin: doge"}',
    ],
    [
      'getUserAddress by a key without moneyPerm',
      `/api/getUserAddress?${WATCHER}&currency=btc&method=getUserAddress&sign=16ed1f3f6038527346df12539ce5a326`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
    [
      'getPayinAddress by a key without moneyPerm',
      `/api/getPayinAddress?${WATCHER}&currency=btc&method=getPayinAddress&sign=e9da8feba804fc233373b3752f042915`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
    [
      'getWithdrawAddress by a key without moneyPerm',
      `/api/getWithdrawAddress?${WATCHER}&currency=btc&method=getWithdrawAddress&sign=d6c446d8dc677783ca021643529a9c68`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
  ];
  it.each(answers)('answers %s with its exact body', async (_what, path, body) => {
    expect(await ask(shared(), path)).toBe(body);
  });
});

describe('getFeeInfo on the wire', () => {
  const shared = sharedFixture();
  const BTC = '"BTC":[{"chainName":"btc","mainChainName":"btc","fee":0.0005,"canDeposit":true,"canWithdraw":true}]';
  const USDT =
    '"USDT":[{"chainName":"trc20","mainChainName":"trx","fee":1,"canDeposit":true,"canWithdraw":true},' +
    '{"chainName":"erc20","mainChainName":"eth","fee":5,"canDeposit":true,"canWithdraw":true},' +
    '{"chainName":"bep20","mainChainName":"bsc","fee":0.8,"canDeposit":true,"canWithdraw":false},' +
    '{"chainName":"omni","mainChainName":"btc","fee":20,"canDeposit":false,"canWithdraw":false}]';

  it.each([
    ['unsigned, the coin alone', '/api/getFeeInfo?currency=btc'],
    ['sent with its method', '/api/getFeeInfo?method=getFeeInfo&currency=btc'],
    ['in upper case', '/api/getFeeInfo?currency=BTC'],
    [
      'signed as well',
      `/api/getFeeInfo?${WATCHER}&currency=btc&method=getFeeInfo&sign=8a25d2b1e1e6773fedab07d7595063e0&reqTime=1`,
    ],
  ])('gets the chains of the coin if the request is %s', async (_what, path) => {
    expect(await shared().ask(path)).toBe(`{"code":1000,"message":"success","result":{${BTC}}}`);
  });

  it('groups the chains of a coin under its upper-case name', async () => {
    expect(await shared().ask('/api/getFeeInfo?currency=usdt')).toBe(
      `{"code":1000,"message":"success","result":{${USDT}}}`,
    );
  });

  it('gives all coins without a currency', async () => {
    const body = await shared().ask('/api/getFeeInfo');
    expect(body.startsWith(`{"code":1000,"message":"success","result":{${BTC},"ETH":[`)).toBe(true);
    expect(body.endsWith(`,${USDT}}}`)).toBe(true);
    expect(body.match(/"[A-Z]+":\[/g)).toEqual([
      '"BTC":[',
      '"ETH":[',
      '"BCH":[',
      '"LTC":[',
      '"EOS":[',
      '"XRP":[',
      '"USDT":[',
    ]);
  });

  it.each([
    [
      'an old coin name',
      '/api/getFeeInfo?currency=bchsv',
      '{"code":1001,"message":"unknown coin: bchsv (bchsv is bsv now)"}',
    ],
    ['an unknown coin', '/api/getFeeInfo?currency=doge', '{"code":1001,"message":"unknown coin: doge"}'],
    [
      'another method',
      '/api/getFeeInfo?currency=btc&method=withdraw',
      '{"code":3005,"message":"a parameter is missing or not valid: method must equal the last segment of the path"}',
    ],
    [
      'market data',
      '/data/v1/getFeeInfo?currency=btc',
      '{"error":"the request could not be carried out: no such operation"}',
    ],
  ])('%s is refused', async (_what, path, body) => {
    expect(await shared().ask(path)).toBe(body);
  });

  it('counts against the unsigned requests of the IP, also if it is signed', async () => {
    const { exchange } = shared();
    const seen: string[] = [];
    const limits = {
      address: () => void seen.push('address'),
      unsigned: (address: string) => void seen.push(`unsigned ${address.length > 0}`),
      key: () => void seen.push('key'),
      kline: () => void seen.push('kline'),
    };
    const { port } = await serveInterface(exchange, limits);
    await get(port, `/api/getFeeInfo?${WATCHER}&currency=btc&method=getFeeInfo&sign=8a25d2b1e1e6773fedab07d7595063e0`);
    expect(seen).toEqual(['unsigned true']);
  });
});

describe('deposits on the wire', () => {
  const shared = sharedFixture();
  const path = (page: number, size: number, sign: string) =>
    `/api/getChargeRecord?${ALICE}&currency=btc&method=getChargeRecord&pageIndex=${page}&pageSize=${size}&sign=${sign}`;
  const TEN = path(1, 10, 'eed5747fc6470bdc8209035926de5380');
  const record = (status: string) =>
    `{"id":<18 digits>,"address":"1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM","amount":"0.50000000",${status},"submit_time":"2018-10-23 11:59:55"}`;
  const list = (records: string, total: number, page = 1, size = 10) =>
    `{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"list":[${records}],"pageIndex":${page},"pageSize":${size},"total":${total}}}}`;

  it('getChargeRecord follows the confirmations of a deposit', async () => {
    const fixture = FundsFixture.at();
    expect(await ask(fixture, TEN)).toBe(list('', 0));
    fixture.exchange.funds.deposit(fixture.alice, { coin: 'btc', amount: '0.5' });
    const waiting = (times: number) =>
      record(
        `"confirmTimes":${times},"currency":"BTC","description":"waiting for confirmation","hash":"<hash>","itransfer":0,"status":0`,
      );
    expect(await ask(fixture, TEN)).toBe(list(waiting(0), 1));
    fixture.pass(10_000);
    expect(await ask(fixture, TEN)).toBe(list(waiting(1), 1));
    fixture.pass(10_000);
    const done = record(
      '"confirmTimes":2,"currency":"BTC","description":"success","hash":"<hash>","itransfer":0,"status":2',
    );
    expect(await ask(fixture, TEN)).toBe(list(done, 1));
  });

  it('getChargeRecord shows a failed deposit', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.alice, { coin: 'btc', amount: '0.5', fail: true });
    fixture.pass(20_000);
    const failed = record(
      '"confirmTimes":1,"currency":"BTC","description":"failed","hash":"<hash>","itransfer":0,"status":1',
    );
    expect(await ask(fixture, TEN)).toBe(list(failed, 1));
  });

  it('getChargeRecord gives pages, newest first', async () => {
    const fixture = FundsFixture.at();
    for (const amount of ['0.1', '0.2', '0.3']) fixture.exchange.funds.deposit(fixture.alice, { coin: 'btc', amount });
    const amounts = async (page: number, sign: string) => {
      const body = await ask(fixture, path(page, 2, sign));
      return [...body.matchAll(/"amount":"([\d.]+)"/g)]
        .map(([, amount]) => amount)
        .concat(body.slice(body.indexOf('],"pageIndex"')));
    };
    expect(await amounts(1, 'abc45ff61f9a18e009592d32b5f936d7')).toEqual([
      '0.30000000',
      '0.20000000',
      '],"pageIndex":1,"pageSize":2,"total":3}}}',
    ]);
    expect(await amounts(2, '7e5021771563a1a833d2b5227aae65fa')).toEqual([
      '0.10000000',
      '],"pageIndex":2,"pageSize":2,"total":3}}}',
    ]);
    expect(await amounts(3, '3a360b82d738670f626c5d27305d3c67')).toEqual(['],"pageIndex":3,"pageSize":2,"total":3}}}']);
  });

  it.each([
    ['getChargeRecord', '&pageIndex=0&pageSize=10', 'BTC', 'aa1bd2fc32647dfe22735d5d937ec901', '"total":0'],
    ['getChargeRecord', '', 'btc', 'f7d9581a8f626d016c4df23346269bbc', '"total":0'],
    [
      'getWithdrawRecord',
      '&pageIndex=0&pageSize=10',
      'BTC',
      '1ad6400741ce30029e57917f50527573',
      '"totalCount":0,"totalPage":0',
    ],
    ['getWithdrawRecord', '', 'btc', 'a1667ff7c489065a7dcff657846ccd92', '"totalCount":0,"totalPage":0'],
  ])('%s with "%s" for the page gives the first ten', async (method, pages, coin, sign, totals) => {
    const query = `/api/${method}?${ALICE}&currency=${coin}&method=${method}${pages}&sign=${sign}`;
    expect(await ask(FundsFixture.at(), query)).toBe(
      `{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"list":[],"pageIndex":1,"pageSize":10,${totals}}}}`,
    );
  });

  it('getSpotBills with 0 for page and size gives the first ten', async () => {
    const query = `/api/getSpotBills?${ALICE}&currency=btc&method=getSpotBills&pageIndex=0&pageSize=0&sign=04ed613cfc377abc6d2b588e7e188ec1`;
    expect(await ask(FundsFixture.at(), query)).toMatch(
      /^\{"code":1000,"message":"success","result":\[\{"id":\d+,"currencyName":"BTC",/,
    );
  });

  it.each([
    [
      'an old coin name',
      `/api/getChargeRecord?${ALICE}&currency=nxwc&method=getChargeRecord&pageIndex=1&pageSize=10&sign=90d25ac447c5e6b7dcf90c85f56a9d71`,
      '{"code":1001,"message":"unknown coin: nxwc (nxwc is xwc now)"}',
    ],
    [
      'a key without moneyPerm',
      `/api/getChargeRecord?${WATCHER}&currency=btc&method=getChargeRecord&pageIndex=1&pageSize=10&sign=c085c375c28a65b7a131f5343e8af8f9`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
  ])('getChargeRecord refuses %s', async (_what, query, body) => {
    expect(await ask(shared(), query)).toBe(body);
  });
});

describe('withdrawals on the wire', () => {
  const shared = sharedFixture();
  const ADDRESS = '14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp';
  const WITHDRAW = `/api/withdraw?${ALICE}&amount=0.01&currency=btc&fees=0.0005&method=withdraw&receiveAddr=${ADDRESS}&safePwd=fund-pass-1&sign=882075c31846e4ed6a997d8fb49435e9`;
  const path = (page: number, size: number, sign: string) =>
    `/api/getWithdrawRecord?${ALICE}&currency=btc&method=getWithdrawRecord&pageIndex=${page}&pageSize=${size}&sign=${sign}`;
  const TEN = path(1, 10, '3f0ad327e08d1c47b8d59d12dbbe5fcf');
  const record = (status: number, managed: number, hash: string) =>
    `{"id":<18 digits>,"amount":0.01000000,"fees":0.00050000,"status":${status},"submitTime":1540295995557,"manageTime":${managed},` +
    `"toAddress":"${ADDRESS}","merchantOrderNo":"W<18 digits>","hash":"${hash}"}`;
  const list = (records: string, total: number, pages: number, page = 1, size = 10) =>
    `{"code":1000,"message":{"des":"success","isSuc":true,"datas":{"list":[${records}],"pageIndex":${page},"pageSize":${size},"totalCount":${total},"totalPage":${pages}}}}`;

  it('getWithdrawRecord follows a withdrawal from submitted to success', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'btc', address: ADDRESS });
    expect(await ask(fixture, TEN)).toBe(list('', 0, 0));
    expect(await ask(fixture, WITHDRAW)).toBe('{"code":1000,"message":"success","id":"<18 digits>"}');
    expect(await ask(fixture, TEN)).toBe(list(record(0, 1540295995557, ''), 1, 1));
    fixture.pass(20_000);
    expect(await ask(fixture, TEN)).toBe(list(record(5, 1540296015557, '<hash>'), 1, 1));
    fixture.pass(40_000);
    expect(await ask(fixture, TEN)).toBe(list(record(2, 1540296055557, '<hash>'), 1, 1));
  });

  it('getWithdrawRecord shows cancelled and failed withdrawals', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'btc', address: ADDRESS });
    for (const end of ['cancelled', 'failed'] as const) {
      await ask(fixture, WITHDRAW);
      const [last] = fixture.exchange.funds.withdrawals(fixture.alice, 'btc', 1, 1).list;
      fixture.exchange.funds.endWithdrawal(fixture.alice, 'btc', last?.id ?? '', end);
    }
    expect(await ask(fixture, TEN)).toBe(list(`${record(1, 1540295995557, '')},${record(3, 1540295995557, '')}`, 2, 1));
    expect(await ask(fixture, path(2, 2, '5bf365aeb8af0105223e87af9d407d6d'))).toBe(list('', 2, 1, 2, 2));
    await ask(fixture, WITHDRAW);
    expect(await ask(fixture, path(2, 2, '5bf365aeb8af0105223e87af9d407d6d'))).toBe(
      list(record(3, 1540295995557, ''), 3, 2, 2, 2),
    );
  });

  it('withdraw takes an account with a memo', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'eos', address: 'eosaccount12', memo: '1000234' });
    const sent = `/api/withdraw?${ALICE}&amount=3&currency=eos&fees=0.1&method=withdraw&receiveAddr=eosaccount12_1000234&safePwd=fund-pass-1&sign=b5582b8bde212cfc2ecf6fb966945c11`;
    expect(await ask(fixture, sent)).toBe('{"code":1000,"message":"success","id":"<18 digits>"}');
    expect(fixture.balance(fixture.alice, 'eos')).toBe('19997.0000+3.0000');
  });

  it.each([
    ['an address that is not verified', WITHDRAW, '{"code":3005,"message":"receiveAddr is not a verified address"}'],
    [
      'an itransfer of 2',
      `/api/withdraw?${ALICE}&amount=0.01&currency=btc&fees=0.0005&itransfer=2&method=withdraw&receiveAddr=${ADDRESS}&safePwd=fund-pass-1&sign=490efa6722668be04207db16d6ff954d`,
      '{"code":3005,"message":"a parameter is missing or not valid: itransfer must be one of 0, 1"}',
    ],
    [
      'a key without moneyPerm',
      `/api/withdraw?${WATCHER}&amount=3&currency=eos&fees=0.1&method=withdraw&receiveAddr=eosaccount12_1000234&safePwd=bens-pass&sign=1935b1545b3a71af11f84ae119bb6d4b`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
  ])('withdraw refuses %s', async (_what, query, body) => {
    const fixture = shared();
    const before = fixture.funds();
    expect(await ask(fixture, query)).toBe(body);
    expect(fixture.funds()).toEqual(before);
  });

  it.each([
    [
      'an old coin name',
      `/api/getWithdrawRecord?${ALICE}&currency=nxwc&method=getWithdrawRecord&pageIndex=1&pageSize=10&sign=a4a230b68e562c40a473e66f12fcf9ac`,
      '{"code":1001,"message":"unknown coin: nxwc (nxwc is xwc now)"}',
    ],
    [
      'a key without moneyPerm',
      `/api/getWithdrawRecord?${WATCHER}&currency=btc&method=getWithdrawRecord&pageIndex=1&pageSize=10&sign=3d619ac89ecc2e3e875cc6684ad39dd7`,
      '{"code":1012,"message":"the key has no permission for this"}',
    ],
  ])('getWithdrawRecord refuses %s', async (_what, query, body) => {
    expect(await ask(shared(), query)).toBe(body);
  });
});

describe('bills on the wire', () => {
  const shared = sharedFixture();
  const ALL = `/api/getSpotBills?${ALICE}&method=getSpotBills&sign=7f850144ecac2c843f8d22f52e6aaccb`;
  const USDT = `/api/getSpotBills?${ALICE}&currency=usdt&method=getSpotBills&sign=3e8a45a517d74d0dc9b03696ad0006ad`;
  const OLD = `/api/getSpotBills?${ALICE}&currency=usdt&dataType=1&method=getSpotBills&sign=7f3a467195913dbc1c5119775fd0bda8`;
  const success = (bills: string) => `{"code":1000,"message":"success","result":[${bills}]}`;
  const OPENING =
    '{"id":1000000007,"currencyName":"USDT","balance":"250000USDT","changeAmount":"+250000USDT","total":"250000",' +
    '"date":1540295995557,"showDate":"2018-10-23 11:59:55","remark":"","typeDesc":"Opening balance"}';

  it('getSpotBills shows a deposit, a withdrawal and its fee', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.alice, { coin: 'usdt', amount: '0.5' });
    fixture.pass(30_000);
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', address: 'Txyz' });
    const request = {
      coin: 'usdt',
      amount: '10.5',
      fee: '1',
      internal: false,
      address: 'Txyz',
      safePwd: 'fund-pass-1',
    };
    fixture.exchange.funds.withdraw(fixture.alice, request);
    const shown = '"date":1540296025557,"showDate":"2018-10-23 12:00:25","remark":"<18 digits>"';
    expect(await ask(fixture, USDT)).toBe(
      success(
        [
          `{"id":1000000010,"currencyName":"USDT","balance":"249990USDT","changeAmount":"-1USDT","total":"249990",${shown},"typeDesc":"Withdrawal fee"}`,
          `{"id":1000000009,"currencyName":"USDT","balance":"249991USDT","changeAmount":"-9.5USDT","total":"249991",${shown},"typeDesc":"Withdrawal"}`,
          `{"id":1000000008,"currencyName":"USDT","balance":"250000.5USDT","changeAmount":"+0.5USDT","total":"250000.5",${shown},"typeDesc":"Deposit"}`,
          OPENING,
        ].join(','),
      ),
    );
  });

  it('getSpotBills gives ten bills of all coins by default', async () => {
    const fixture = FundsFixture.at();
    for (let index = 0; index < 5; index += 1)
      fixture.exchange.funds.deposit(fixture.alice, { coin: 'btc', amount: '1' });
    fixture.pass(20_000);
    const ids = (body: string) => [...body.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id) - 1_000_000_000);
    expect(ids(await fixture.ask(`${ALL}&reqTime=${fixture.clock.time}`))).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    const next = `/api/getSpotBills?${ALICE}&method=getSpotBills&pageIndex=2&pageSize=10&sign=e5d7c68035b62c7881c0695fef5bd783`;
    expect(ids(await fixture.ask(`${next}&reqTime=${fixture.clock.time}`))).toEqual([2, 1]);
  });

  it('getSpotBills includes both dates of a range', async () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.alice, { coin: 'btc', amount: '1' });
    fixture.pass(20_000);
    const between = `/api/getSpotBills?${ALICE}&currency=btc&endDate=2018-10-23%2012:00:15&method=getSpotBills&pageIndex=1&pageSize=50&startDate=2018-10-23%2011:59:55&sign=2d802cb334fff34f969c656034ac46c0`;
    expect([...(await ask(fixture, between)).matchAll(/"showDate":"[^"]*"/g)].map(String)).toEqual([
      '"showDate":"2018-10-23 12:00:15"',
      '"showDate":"2018-10-23 11:59:55"',
    ]);
  });

  it('getSpotBills gives the last 48 hours by default and for dataType 0, older ones for 1', async () => {
    const fixture = FundsFixture.at();
    expect(await ask(fixture, USDT)).toBe(success(OPENING));
    expect(await ask(fixture, OLD)).toBe(success(''));
    fixture.pass(48 * 3_600_000);
    expect(await ask(fixture, USDT)).toBe(success(OPENING));
    expect(await ask(fixture, OLD)).toBe(success(''));
    fixture.pass(1);
    expect(await ask(fixture, USDT)).toBe(success(''));
    expect(await ask(fixture, OLD)).toBe(success(OPENING));
  });

  const refused = (what: string) => `{"code":3005,"message":"a parameter is missing or not valid: ${what}"}`;
  it.each([
    [
      '9 on a page',
      'pageSize=9&sign=53e12df82b5cef60647beda06e88e476',
      refused('pageSize must be a whole number from 10 to 50'),
    ],
    [
      '51 on a page',
      'pageSize=51&sign=e6d5c4fafcd7b7e692b8ba6c025e9edf',
      refused('pageSize must be a whole number from 10 to 50'),
    ],
    [
      'a day that is not',
      'startDate=2018-02-30%2010:00:00&sign=5b638d0f9f2dc602cc58499096deb18d',
      refused('startDate must be a time like 2022-03-28 10:00:00'),
    ],
    [
      'an end before the start',
      'endDate=2018-10-23%2009:59:59&startDate=2018-10-23%2010:00:00&sign=31f2579dd3ceeee91f8ea75076601f26',
      refused('endDate is before startDate'),
    ],
    ['a dataType of 2', 'dataType=2&sign=19d4cdf8507d20959c208964479b3dc5', refused('dataType must be one of 0, 1')],
  ])('getSpotBills refuses %s', async (_what, query, body) => {
    expect(await ask(shared(), `/api/getSpotBills?${ALICE}&method=getSpotBills&${query}`)).toBe(body);
  });
});

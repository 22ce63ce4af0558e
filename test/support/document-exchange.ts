import { createHash, createHmac } from 'node:crypto';
import { type HostReply, openHost } from './world/hosts.js';

/*
 * An exchange that knows the interface's document and nothing else. It checks what the document says of a request, and answers with
 * one example of each answer that the document shows, always the same; only an order that was placed is shown with its own terms. What
 * is not shown is answered with 404 and no body: error codes, the body of getOrders, and every unnamed path. It shares no code with
 * src/, so that no mistake is made on both sides. It has no port: how requests are sent is a matter of test/exchange.
 */

const ACCESS_KEY = 'document-access-key';
const SECRET_KEY = 'document-secret-key';

/** The order that this exchange has from the beginning, and shows for every client id. */
export const ORDER = { id: '2022022248511515550', market: 'btc_usdt', price: '31000.5', amount: '0.0123' } as const;
export const CLIENT_ID = 'document01';
export const PLACED_ID = '2022022248511515553';
export const BATCH_IDS = ['2022022248511515551', '2022022248511515552'] as const;
export const ADDRESS = '0x0af7f36b8f09410f3df62c81e5846da673d4d9a9';

const TICKER =
  '{"high":"31500.10","low":"30000.20","buy":"31000.30","sell":"31000.40","last":"31000.5","open":"30500.60","riseRate":"1.64","vol":"120.7"}';
const COIN = (key: string, available: string) =>
  `{"key":"${key}","enName":"${key.toUpperCase()}","cnName":"币","showName":"${key.toUpperCase()}","unitTag":"฿","unitDecimal":8,"fundstype":2,"available":"${available}","freez":"0.5","isCanRecharge":true,"isCanWithdraw":true,"canLoan":false}`;
const withDatas = (datas: string) => `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${datas}}}`;

type Rule = RegExp | 'market' | 'coin';
interface Shown {
  readonly family: 'data' | 'api';
  /** Parameters besides the common ones; a name that ends with `?` may be missing. */
  readonly parameters: Readonly<Record<string, Rule>>;
  readonly answer: string;
  readonly unsigned?: true;
  /** Whether nothing of a request is checked. */
  readonly isUnchecked?: true;
}

const NUMBER = /^\d+(\.\d+)?$/;
const WHOLE = /^\d+$/;
const SIDE = /^[01]$/;
/** Typed int, "values true/false": either form. */
const SWITCH = /^(true|false|1|0)$/;
const CLIENT = /^[A-Za-z0-9]{4,36}$/;
const WALL_CLOCK = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const TYPES = /^(1min|3min|5min|15min|30min|1hour|2hour|4hour|6hour|12hour|1day|3day|1week)$/;

const ONE_ORDER = { currency: 'market', 'id?': WHOLE, 'customerOrderId?': CLIENT } as const;
const PAGED = { currency: 'coin', pageIndex: /^[1-9]\d*$/, pageSize: /^[1-9]\d*$/ } as const;

const SHOWN: Readonly<Record<string, Shown>> = {
  markets: {
    family: 'data',
    parameters: {},
    answer: '{"btc_usdt":{"amountScale":4,"minAmount":0.0001,"minSize":5,"priceScale":2}}',
  },
  allTicker: { family: 'data', parameters: {}, answer: `{"btc_usdt":${TICKER}}` },
  ticker: { family: 'data', parameters: { market: 'market' }, answer: `{"ticker":${TICKER},"date":"1648461600123"}` },
  depth: {
    family: 'data',
    parameters: { market: 'market', 'size?': /^([1-9]|[1-4]\d|50)$/, 'merge?': NUMBER },
    answer: '{"asks":[[31000.4,0.5],[31000.5,2]],"bids":[[31000.3,0.25],[31000.2,3]],"timestamp":1648461600}',
  },
  trades: {
    family: 'data',
    parameters: { market: 'market', 'since?': WHOLE },
    answer:
      '[{"date":1648461600,"price":31000.5,"amount":0.01,"tid":1234567890123456789,"trade_type":"bid","type":"buy"}]',
  },
  kline: {
    family: 'data',
    parameters: { market: 'market', 'type?': TYPES, 'since?': WHOLE, 'size?': /^([1-9]\d{0,2}|1000)$/ },
    answer:
      '{"data":[[1648461600000,31000.1,31010.2,30990.3,31005.4,12.5],[1648461660000,31005.4,31006,31001,31002,7.25]],"moneyType":"USDT","symbol":"BTC"}',
  },
  getAccountInfo: {
    family: 'api',
    parameters: {},
    answer: `{"result":{"coins":[${COIN('btc', '1.25')},${COIN('usdt', '50000.75')}],"base":{"username":"trader@example.com","trade_password_enabled":true,"auth_google_enabled":true,"auth_mobile_enabled":false}},"assetPerm":true,"leverPerm":true,"entrustPerm":true,"moneyPerm":true}`,
  },
  getSpotBills: {
    family: 'api',
    parameters: {
      'currency?': 'coin',
      'startDate?': WALL_CLOCK,
      'endDate?': WALL_CLOCK,
      'dataType?': SIDE,
      'pageIndex?': /^[1-9]\d*$/,
      'pageSize?': /^[1-4]\d$|^50$/,
    },
    answer:
      '{"code":1000,"message":"success","result":[{"id":12345678901234567,"currencyName":"USDT","balance":"10.50 USDT","changeAmount":"-1.25 USDT","total":"10.50","date":1648461600123,"showDate":"2022-03-28 18:00:00","remark":"remark","typeDesc":"Buy"}]}',
  },
  getUserAddress: { family: 'api', parameters: { currency: 'coin' }, answer: withDatas(`{"key":"${ADDRESS}"}`) },
  getPayinAddress: {
    family: 'api',
    parameters: { currency: 'coin' },
    answer: withDatas(
      `[{"blockChain":"eos","isUseMemo":true,"account":"exchange1","memo":"0012345","canDeposit":true,"canWithdraw":false},{"blockChain":"erc20","isUseMemo":false,"address":"${ADDRESS}","canDeposit":true,"canWithdraw":true}]`,
    ),
  },
  getWithdrawAddress: { family: 'api', parameters: { currency: 'coin' }, answer: withDatas(`{"key":"${ADDRESS}"}`) },
  getWithdrawRecord: {
    family: 'api',
    parameters: PAGED,
    answer: withDatas(
      `{"list":[{"amount":0.25,"fees":0.001,"hash":"ab12","id":2016011201,"manageTime":1648461700000,"merchantOrderNo":"M1","status":2,"submitTime":1648461600000,"toAddress":"${ADDRESS}"}],"pageIndex":1,"pageSize":10,"totalCount":37,"totalPage":4}`,
    ),
  },
  getChargeRecord: {
    family: 'api',
    parameters: PAGED,
    answer: withDatas(
      `{"list":[{"address":"${ADDRESS}","amount":"0.75","confirmTimes":12,"currency":"BTC","description":"Confirmed","hash":"cd34","id":3016011201,"itransfer":1,"status":2,"submit_time":"2022-03-28 18:00:00"}],"pageIndex":1,"pageSize":10,"total":29}`,
    ),
  },
  getFeeInfo: {
    family: 'api',
    parameters: { currency: 'coin', 'method?': /^getFeeInfo$/ },
    answer:
      '{"code":1000,"message":"success","result":{"BTC":[{"chainName":"BTC","mainChainName":"BTC","fee":0.0005,"canDeposit":true,"canWithdraw":true}],"USDT":[{"chainName":"ERC20","mainChainName":"ETH","fee":5,"canDeposit":true,"canWithdraw":true}]}}',
    unsigned: true,
  },
  withdraw: {
    family: 'api',
    parameters: {
      amount: NUMBER,
      currency: 'coin',
      fees: NUMBER,
      'itransfer?': SIDE,
      receiveAddr: /^.+$/,
      safePwd: /^.+$/,
    },
    answer: '{"code":1000,"message":"success","id":"2016011202"}',
  },
  order: {
    family: 'api',
    parameters: {
      currency: 'market',
      tradeType: SIDE,
      price: NUMBER,
      amount: NUMBER,
      'acctType?': /^[012]$/,
      'enableExpress?': SWITCH,
      'enableRepay?': SWITCH,
      'customerOrderId?': CLIENT,
      'orderType?': /^.*$/,
    },
    answer: `{"code":"1000","message":"success","id":"${PLACED_ID}"}`,
  },
  orderMoreV2: {
    family: 'api',
    parameters: {
      market: 'market',
      tradeParams: /^\[\[[\d.]+,[\d.]+\](,\[[\d.]+,[\d.]+\]){0,19}\]$/,
      tradeType: SIDE,
      'acctType?': /^[012]$/,
    },
    answer: `{"code":"1000","message":"success","data":[${BATCH_IDS.join(',')}]}`,
  },
  cancelOrder: {
    family: 'api',
    parameters: ONE_ORDER,
    answer: withDatas(
      `{"amount":${ORDER.amount},"price":${ORDER.price},"completeMonty":155.0025,"completeAmount":0.005}`,
    ),
  },
  cancelAllOrdersAfter: {
    family: 'api',
    parameters: { currency: 'market' },
    answer: '{"code":1000,"message":"success"}',
  },
  getOrder: {
    family: 'api',
    parameters: ONE_ORDER,
    answer: `{"id":"${ORDER.id}","currency":"${ORDER.market}","price":${ORDER.price},"total_amount":${ORDER.amount},"trade_amount":0.005,"trade_money":155.0025,"trade_date":1648461600123,"status":3,"type":1,"fees":"0.00001","useXxFee":false}`,
  },
};

/** "Parameters seen"; its body is not shown. */
const GET_ORDERS: Shown = {
  family: 'api',
  parameters: { currency: 'market', 'pageIndex?': /^[1-9]\d*$/, 'tradeType?': SIDE },
  answer: '',
};

/** What the document does not show; a test that gives its answer knows its parameters too. */
function notShownBy(name: string): Shown {
  return name === 'getOrders' ? GET_ORDERS : { family: 'api', parameters: {}, answer: '', isUnchecked: true };
}

export interface DocumentExchange {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the document shows and was called. */
  readonly called: ReadonlySet<string>;
  /** What was asked although the document does not show its answer. */
  readonly notShown: ReadonlySet<string>;
  /** Requests that break the document, in words. */
  readonly broken: readonly string[];
  /** Path and query of every request, in their order. */
  readonly requests: readonly string[];
  /** Its order is open again. */
  reopen(): void;
  close(): void;
}

export const DOCUMENTED = Object.keys(SHOWN);

/** The example of an answer. */
export function shownAnswer(name: string): string {
  return SHOWN[name]?.answer ?? '';
}

/** The body of an answer, or what makes it of the parameters. */
export type Answer = string | ((given: URLSearchParams) => string);

/**
 * Has it answer commands of this process until it is closed.
 * @param answers bodies in place of the examples, by operation, that of getOrders included; they may change meanwhile
 */
export function startDocumentExchange(answers: Readonly<Record<string, Answer>> = {}): DocumentExchange {
  const called = new Set<string>();
  const notShown = new Set<string>();
  const broken: string[] = [];
  const requests: string[] = [];
  /** A cancelled order that was filled in part has the status 2. */
  let isCancelled = false;
  const placed = new Map<string, string>();
  const { url, close } = openHost((path, given): HostReply => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    requests.push(given.size === 0 ? path : `${path}?${given}`);
    const answer = answers[name];
    const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name] : answer === undefined ? undefined : notShownBy(name);
    if (shown === undefined) {
      notShown.add(name);
      return { status: 404, body: '' };
    }
    const problem = shown.isUnchecked ? undefined : problemOf(path, given, name, shown);
    if (problem !== undefined) {
      broken.push(`${name}: ${problem}`);
      return { status: 404, body: '' };
    }
    called.add(name);
    isCancelled ||= name === 'cancelOrder';
    for (const [id, order] of placedBy(name, given)) placed.set(id, order);
    const own = name === 'getOrder' ? placed.get(given.get('id') ?? '') : undefined;
    const body = typeof answer === 'function' ? answer(given) : (answer ?? own ?? shown.answer);
    return { body: isCancelled ? body.replace('"status":3', '"status":2') : body };
  });
  const environment = {
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: ACCESS_KEY,
    PIT_SECRET_KEY: SECRET_KEY,
  };
  const reopen = () => {
    isCancelled = false;
  };
  return { url, environment, called, notShown, broken, requests, reopen, close };
}

/** What getOrder shows of the orders that a request placed, by their ids. */
function placedBy(name: string, given: URLSearchParams): [id: string, answer: string][] {
  const orderOf = (id: string, price: string, amount: string): [string, string] => {
    const type = given.get('tradeType');
    const terms = `"id":"${id}","currency":"${ORDER.market}","price":${price},"total_amount":${amount}`;
    const fills = '"trade_amount":0,"trade_money":0,"trade_date":1648461600123,"status":0';
    return [id, `{${terms},${fills},"type":${type},"fees":"0","useXxFee":false}`];
  };
  if (name === 'order') return [orderOf(PLACED_ID, given.get('price') ?? '', given.get('amount') ?? '')];
  const pairs = name === 'orderMoreV2' ? [...(given.get('tradeParams') ?? '').matchAll(/\[([\d.]+),([\d.]+)\]/g)] : [];
  return pairs.map(([, price = '', amount = ''], index) => orderOf(BATCH_IDS[index] ?? '', price, amount));
}

/** What the document says against a request; undefined if nothing. */
function problemOf(path: string, given: URLSearchParams, name: string, shown: Shown): string | undefined {
  if (path !== `/${shown.family === 'data' ? 'data/v1' : 'api'}/${name}`) return `the path is ${path}`;
  const common = shown.family === 'api' ? ['method', 'accesskey', 'sign', 'reqTime'] : [];
  for (const key of given.keys()) {
    if (given.getAll(key).length > 1) return `${key} is given twice`;
    if (!common.includes(key) && !Object.keys(shown.parameters).some((one) => bare(one) === key))
      return `${key} is no parameter`;
  }
  for (const [key, rule] of Object.entries(shown.parameters)) {
    const value = given.get(bare(key));
    if (value === null) {
      if (!key.endsWith('?')) return `${key} is missing`;
    } else if (!expressionOf(rule).test(value)) return `${key} is ${value}`;
  }
  if ('id?' in shown.parameters && given.has('id') === given.has('customerOrderId'))
    return 'exactly one of id and customerOrderId is given';
  if (shown.family === 'api' && shown.unsigned !== true) return signatureProblem(given, name);
  return undefined;
}

const bare = (key: string) => key.replace(/\?$/, '');

function expressionOf(rule: Rule): RegExp {
  // the document says no more of a name than that the coins of a market are joined by `_`, in lower case
  if (rule === 'market') return /^[^\s_\p{Lu}]+_[^\s_\p{Lu}]+$/u;
  return rule === 'coin' ? /^[^\s_]+$/ : rule;
}

/** "Every request parameter except `sign` and `reqTime`, ordered by name, each as `name=value`, joined with `&`." */
function signatureProblem(given: URLSearchParams, name: string): string | undefined {
  if (given.get('method') !== name) return 'method is not the name of the operation';
  if (given.get('accesskey') !== ACCESS_KEY) return 'the accesskey is unknown';
  if (!/^\d{13}$/.test(given.get('reqTime') ?? '')) return 'reqTime is not in milliseconds';
  const signed = [...given].filter(([key]) => key !== 'sign' && key !== 'reqTime');
  signed.sort(([left], [right]) => (left < right ? -1 : 1));
  const text = signed.map(([key, value]) => `${key}=${value}`).join('&');
  const key = createHash('sha1').update(SECRET_KEY).digest('hex');
  const sign = createHmac('md5', key).update(text).digest('hex');
  return given.get('sign') === sign ? undefined : 'the signature is wrong';
}

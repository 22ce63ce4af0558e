import {
  ADDRESS,
  described,
  flag,
  meaning,
  NUMBER,
  number,
  type OperationExample,
  PAGE,
  SIDE,
  text,
} from './example.js';

const COIN = (key: string, available: string) =>
  `{"key":"${key}","enName":"${key.toUpperCase()}","cnName":"币","showName":"${key.toUpperCase()}","unitTag":"฿","unitDecimal":8,"fundstype":2,"available":"${available}","freez":"0.5","isCanRecharge":true,"isCanWithdraw":true,"canLoan":false}`;
const COIN_RESULT = (key: string, available: string) => ({
  ...{ key, enName: key.toUpperCase(), cnName: '币', showName: key.toUpperCase(), unitTag: '฿', unitDecimal: 8 },
  ...{ fundstype: 2, available, freez: '0.5', isCanRecharge: true, isCanWithdraw: true, canLoan: false },
});

/** "Wall-clock time", without a zone. */
const WALL_CLOCK = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const PAGED = { currency: 'coin', pageIndex: PAGE, pageSize: PAGE } as const;

export const FUNDS = {
  getAccountInfo: {
    parameters: {},
    values: {},
    path: '/api/getAccountInfo?method=getAccountInfo',
    answer: `{"result":{"coins":[${COIN('btc', '1.25')},${COIN('usdt', '50000.75')}],"base":{"username":"trader@example.com","trade_password_enabled":true,"auth_google_enabled":true,"auth_mobile_enabled":false}},"assetPerm":true,"leverPerm":true,"entrustPerm":true,"moneyPerm":true}`,
    result: {
      result: {
        coins: [COIN_RESULT('btc', '1.25'), COIN_RESULT('usdt', '50000.75')],
        base: {
          username: 'trader@example.com',
          trade_password_enabled: true,
          auth_google_enabled: true,
          auth_mobile_enabled: false,
        },
      },
      ...{ assetPerm: true, leverPerm: true, entrustPerm: true, moneyPerm: true },
    },
    required: {
      result: 'the balances themselves',
      'result.coins': 'the balances themselves',
      'result.coins[].key': 'identifies the coin',
      'result.coins[].available': 'an amount',
      'result.coins[].freez': 'an amount',
    },
    lines: ['account', 'balance'],
    own: {
      key: { sent: '"ZEC"', shown: { by: { coin: 'zec', key: 'ZEC' } } },
      unitDecimal: number('7'),
      ...{ assetPerm: flag('0100'), leverPerm: flag('0101'), entrustPerm: flag('0110'), moneyPerm: flag('1110') },
    },
  },
  getSpotBills: {
    parameters: {
      'currency?': 'coin',
      'startDate?': WALL_CLOCK,
      'endDate?': WALL_CLOCK,
      'dataType?': SIDE,
      'pageIndex?': PAGE,
      'pageSize?': /^[1-4]\d$|^50$/,
    },
    values: {
      currency: 'usdt',
      startDate: '2022-03-28 10:00:00',
      endDate: '2022-03-29 10:00:00',
      dataType: '0',
      pageIndex: '1',
      pageSize: '50',
    },
    path: '/api/getSpotBills?method=getSpotBills&currency=usdt&startDate=2022-03-28%2010%3A00%3A00&endDate=2022-03-29%2010%3A00%3A00&dataType=0&pageIndex=1&pageSize=50',
    answer:
      '{"code":1000,"message":"success","result":[{"id":12345678901234567,"currencyName":"USDT","balance":"10.50 USDT","changeAmount":"-1.25 USDT","total":"10.50","date":1648461600123,"showDate":"2022-03-28 18:00:00","remark":"remark","typeDesc":"Buy"}]}',
    result: {
      code: 1000,
      message: 'success',
      result: [
        {
          id: '12345678901234567',
          currencyName: 'USDT',
          balance: '10.50 USDT',
          changeAmount: '-1.25 USDT',
          total: '10.50',
          date: 1648461600123,
          showDate: '2022-03-28 18:00:00',
          remark: 'remark',
          typeDesc: 'Buy',
        },
      ],
    },
    required: {
      code: 'shows the success',
      result: 'the bills themselves',
      'result[].id': 'identifies the bill',
      'result[].currencyName': 'identifies the coin',
      'result[].changeAmount': 'an amount',
      'result[].date': 'decides to which range and trade the bill belongs',
    },
    texts: ['result[].total'],
    lines: ['bills'],
    own: {
      currencyName: { sent: '"ZEC"', shown: 'zec' },
      balance: { sent: '"191.5 ZEC"', shown: '191.5' },
      changeAmount: { sent: '"-192.5 ZEC"', shown: '-192.5' },
      total: text('193.5'),
      // the offset of the zone is known from it
      date: { sent: '1648461603123', shown: '2022-03-28T10:00:03.123Z' },
      showDate: text('2022-03-28 18:00:03'),
    },
  },
  getUserAddress: {
    parameters: { currency: 'coin' },
    values: { currency: 'btc' },
    path: '/api/getUserAddress?method=getUserAddress&currency=btc',
    answer: described(`{"key":"${ADDRESS}"}`),
    result: meaning({ key: ADDRESS }),
    required: { code: 'shows the success', message: 'the address itself' },
    lines: ['address btc --single'],
  },
  getPayinAddress: {
    parameters: { currency: 'coin' },
    values: { currency: 'eos' },
    path: '/api/getPayinAddress?method=getPayinAddress&currency=eos',
    answer: described(
      `[{"blockChain":"eos","isUseMemo":true,"account":"exchange1","memo":"memo 0012345","canDeposit":true,"canWithdraw":false},{"blockChain":"erc20","isUseMemo":false,"address":"${ADDRESS}","canDeposit":true,"canWithdraw":true}]`,
    ),
    result: meaning([
      {
        ...{ blockChain: 'eos', canDeposit: true, canWithdraw: false, isUseMemo: true },
        ...{ address: null, account: 'exchange1', memo: 'memo 0012345' },
      },
      {
        ...{ blockChain: 'erc20', canDeposit: true, canWithdraw: true, isUseMemo: false },
        ...{ address: ADDRESS, account: null, memo: null },
      },
    ]),
    required: {
      code: 'shows the success',
      message: 'the addresses themselves',
      'message.datas[].isUseMemo': 'coins that are sent without their memo are lost',
    },
    lines: ['address btc'],
  },
  getWithdrawAddress: {
    parameters: { currency: 'coin' },
    values: { currency: 'btc' },
    path: '/api/getWithdrawAddress?method=getWithdrawAddress&currency=btc',
    answer: described(`{"key":"${ADDRESS}"}`),
    result: meaning({ key: ADDRESS }),
    required: { code: 'shows the success', message: 'the address itself' },
    lines: ['address btc --withdraw'],
    own: { key: text('address-verified') },
  },
  getWithdrawRecord: {
    parameters: PAGED,
    values: { currency: 'btc', pageIndex: '2', pageSize: '10' },
    path: '/api/getWithdrawRecord?method=getWithdrawRecord&currency=btc&pageIndex=2&pageSize=10',
    answer: described(
      `{"list":[{"amount":0.25,"fees":0.0010,"hash":"ab12","id":2016011201,"manageTime":1648461700000,"merchantOrderNo":"M1","status":2,"submitTime":1648461600000,"toAddress":"${ADDRESS}"}],"pageIndex":1,"pageSize":10,"totalCount":37,"totalPage":4}`,
    ),
    result: meaning({
      list: [
        {
          id: '2016011201',
          amount: '0.25',
          fees: '0.0010',
          status: 2,
          submitTime: 1648461600000,
          manageTime: 1648461700000,
          toAddress: ADDRESS,
          merchantOrderNo: 'M1',
          hash: 'ab12',
        },
      ],
      ...{ pageIndex: 1, pageSize: 10, totalCount: 37, totalPage: 4 },
    }),
    required: {
      code: 'shows the success',
      message: 'the records themselves',
      'message.datas': 'the records themselves',
      'message.datas.list': 'the records themselves',
      'message.datas.list[].id': 'identifies the withdrawal',
      'message.datas.list[].amount': 'an amount; what became of a withdrawal is found out by it',
      'message.datas.list[].status': 'whether the coins have left',
      'message.datas.list[].submitTime': 'what became of a withdrawal is found out by it',
    },
    lines: ['withdrawals btc'],
    own: {
      status: {
        sent: ['0', '1', '2', '3'],
        shown: { by: { state: ['submitted', 'failed', 'success', 'cancelled'], status: [0, 1, 2, 3] } },
      },
    },
  },
  getChargeRecord: {
    parameters: PAGED,
    values: { currency: 'btc', pageIndex: '1', pageSize: '10' },
    path: '/api/getChargeRecord?method=getChargeRecord&currency=btc&pageIndex=1&pageSize=10',
    answer: described(
      `{"list":[{"address":"${ADDRESS}","amount":"0.75","confirmTimes":12,"currency":"BTC","description":"Confirmed","hash":"cd34","id":3016011201,"itransfer":1,"status":2,"submit_time":"2022-03-28 18:00:00"}],"pageIndex":1,"pageSize":10,"total":29}`,
    ),
    result: meaning({
      list: [
        {
          id: '3016011201',
          address: ADDRESS,
          amount: '0.75',
          confirmTimes: 12,
          currency: 'BTC',
          description: 'Confirmed',
          hash: 'cd34',
          itransfer: 1,
          status: 2,
          submit_time: '2022-03-28 18:00:00',
        },
      ],
      ...{ pageIndex: 1, pageSize: 10, total: 29 },
    }),
    required: {
      code: 'shows the success',
      message: 'the records themselves',
      'message.datas': 'the records themselves',
      'message.datas.list': 'the records themselves',
      'message.datas.list[].id': 'identifies the deposit',
      'message.datas.list[].amount': 'an amount',
      'message.datas.list[].status': 'whether the coins have arrived',
    },
    lines: ['deposits btc'],
    own: {
      currency: { sent: '"ZEC"', shown: 'zec' },
      itransfer: { sent: ['1', '0', '0', '1'], shown: [true, false, false, true] },
      status: {
        sent: ['0', '1', '2', '2'],
        shown: { by: { state: ['waiting', 'failed', 'success', 'success'], status: [0, 1, 2, 2] } },
      },
      submit_time: {
        sent: '"2022-03-28 18:00:06"',
        shown: { by: { time: '2022-03-28T10:00:06.000Z', timeRaw: '2022-03-28 18:00:06' } },
      },
    },
  },
  getFeeInfo: {
    parameters: { currency: 'coin', 'method?': /^getFeeInfo$/ },
    values: { currency: 'usdt' },
    path: '/api/getFeeInfo?method=getFeeInfo&currency=usdt',
    unsigned: true,
    answer:
      '{"code":1000,"message":"success","result":{"BTC":[{"chainName":"BTC","mainChainName":"BTC","fee":0.0005,"canDeposit":true,"canWithdraw":true}],"USDT":[{"chainName":"ERC20","mainChainName":"ETH","fee":5.0,"canDeposit":true,"canWithdraw":true}]}}',
    result: {
      code: 1000,
      message: 'success',
      result: {
        BTC: [{ chainName: 'BTC', mainChainName: 'BTC', fee: '0.0005', canDeposit: true, canWithdraw: true }],
        USDT: [{ chainName: 'ERC20', mainChainName: 'ETH', fee: '5.0', canDeposit: true, canWithdraw: true }],
      },
    },
    required: { code: 'shows the success', result: 'the fees themselves', 'result.*': 'the fees themselves' },
    lines: ['fees btc'],
    own: { '*': { sent: '"ZEC"', shown: 'zec' }, fee: number('0.0221'), canWithdraw: flag('1001') },
  },
  withdraw: {
    parameters: {
      amount: NUMBER,
      currency: 'coin',
      fees: NUMBER,
      'itransfer?': SIDE,
      receiveAddr: /^.+$/,
      safePwd: /^.+$/,
    },
    values: {
      amount: '10.5',
      currency: 'eos',
      fees: '0.1',
      itransfer: '0',
      receiveAddr: 'eosaccount12_1000234',
      safePwd: "a b&c=d%e+f#g'h",
    },
    path: "/api/withdraw?method=withdraw&amount=10.5&currency=eos&fees=0.1&itransfer=0&receiveAddr=eosaccount12_1000234&safePwd=a%20b%26c%3Dd%25e%2Bf%23g'h",
    answer: '{"code":1000,"message":"success","id":"2016011202"}',
    result: { code: 1000, message: 'success', id: '2016011202' },
    required: { code: 'shows the success', id: 'identifies the withdrawal' },
    lines: [],
  },
} satisfies Readonly<Record<string, OperationExample>>;

import type { OperationName } from '../../src/exchange/operations/index.js';
import type { WireExample } from './wire-examples.js';

const COIN =
  '{"key":"btc","enName":"BTC","cnName":"比特币","showName":"Bitcoin","unitTag":"฿","unitDecimal":8,"fundstype":2,"available":"0.10000000","freez":"0","isCanRecharge":true,"isCanWithdraw":"true","canLoan":false}';

function described(datas: string): string {
  return `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${datas}}}`;
}

export const FUNDS = {
  getAccountInfo: {
    values: {},
    path: '/api/getAccountInfo?method=getAccountInfo',
    body: `{"result":{"coins":[${COIN}],"base":{"username":"a@b.example","trade_password_enabled":true,"auth_google_enabled":false,"auth_mobile_enabled":true}},"leverPerm":true,"assetPerm":true,"entrustPerm":true,"moneyPerm":false}`,
    result: {
      result: {
        coins: [
          {
            key: 'btc',
            enName: 'BTC',
            cnName: '比特币',
            showName: 'Bitcoin',
            unitTag: '฿',
            unitDecimal: 8,
            fundstype: 2,
            available: '0.10000000',
            freez: '0',
            isCanRecharge: true,
            isCanWithdraw: true,
            canLoan: false,
          },
        ],
        base: {
          username: 'a@b.example',
          trade_password_enabled: true,
          auth_google_enabled: false,
          auth_mobile_enabled: true,
        },
      },
      assetPerm: true,
      leverPerm: true,
      entrustPerm: true,
      moneyPerm: false,
    },
    fields: {
      result: 'strict',
      'result.coins': 'strict',
      'result.base.username': 'optional',
      'result.coins.0.available': 'decimal',
      'result.coins.0.freez': 'decimal',
      moneyPerm: 'open',
    },
  },
  getSpotBills: {
    values: {
      currency: 'usdt',
      startDate: '2022-03-28 10:00:00',
      endDate: '2022-03-29 10:00:00',
      dataType: '0',
      pageIndex: '1',
      pageSize: '50',
    },
    path: '/api/getSpotBills?method=getSpotBills&currency=usdt&startDate=2022-03-28%2010%3A00%3A00&endDate=2022-03-29%2010%3A00%3A00&dataType=0&pageIndex=1&pageSize=50',
    body: '{"code":1000,"message":"ok","result":[{"id":12345678901234567,"currencyName":"USDT","balance":"10.50 USDT","changeAmount":"-1.00 USDT","total":"10.50","date":1648461600123,"showDate":"2022-03-28 10:00:00","remark":"","typeDesc":"Buy"}]}',
    result: {
      code: 1000,
      message: 'ok',
      result: [
        {
          id: '12345678901234567',
          currencyName: 'USDT',
          balance: '10.50 USDT',
          changeAmount: '-1.00 USDT',
          total: '10.50',
          date: 1648461600123,
          showDate: '2022-03-28 10:00:00',
          remark: '',
          typeDesc: 'Buy',
        },
      ],
    },
    fields: {
      code: 'strict',
      result: 'strict',
      'result.0.id': 'strict',
      'result.0.changeAmount': 'text',
      'result.0.date': 'strict',
      'result.0.currencyName': 'text',
      'result.0.total': 'optional',
      'result.0.showDate': 'optional',
    },
  },
  getUserAddress: {
    values: { currency: 'btc' },
    path: '/api/getUserAddress?method=getUserAddress&currency=btc',
    body: described('{"key":"0x0af7f36b8f09410f3df62c81e5846da673d4d9a9"}'),
    result: {
      code: 1000,
      message: { des: 'success', isSuc: true, datas: { key: '0x0af7f36b8f09410f3df62c81e5846da673d4d9a9' } },
    },
    fields: { message: 'strict', 'message.datas.key': 'optional', 'message.isSuc': 'open' },
  },
  getPayinAddress: {
    values: { currency: 'eos' },
    path: '/api/getPayinAddress?method=getPayinAddress&currency=eos',
    body: described(
      '[{"blockChain":"eos","isUseMemo":true,"account":"exchange1","memo":"0012345","canDeposit":true,"canWithdraw":false},{"blockChain":"erc20","isUseMemo":false,"address":"0xab","canDeposit":"true","canWithdraw":1}]',
    ),
    result: {
      code: 1000,
      message: {
        des: 'success',
        isSuc: true,
        datas: [
          {
            blockChain: 'eos',
            canDeposit: true,
            canWithdraw: false,
            isUseMemo: true,
            address: null,
            account: 'exchange1',
            memo: '0012345',
          },
          {
            blockChain: 'erc20',
            canDeposit: true,
            canWithdraw: true,
            isUseMemo: false,
            address: '0xab',
            account: null,
            memo: null,
          },
        ],
      },
    },
    fields: {
      'message.datas': 'optional',
      'message.datas.0.blockChain': 'optional',
      'message.datas.1.isUseMemo': 'strict',
    },
  },
  getWithdrawAddress: {
    values: { currency: 'btc' },
    path: '/api/getWithdrawAddress?method=getWithdrawAddress&currency=btc',
    body: described('{"key":"14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp"}'),
    result: {
      code: 1000,
      message: { des: 'success', isSuc: true, datas: { key: '14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp' } },
    },
    fields: { code: 'strict', 'message.datas.key': 'optional' },
  },
  getWithdrawRecord: {
    values: { currency: 'btc', pageIndex: '2', pageSize: '10' },
    path: '/api/getWithdrawRecord?method=getWithdrawRecord&currency=btc&pageIndex=2&pageSize=10',
    body: described(
      '{"list":[{"amount":0.01,"fees":0.0010,"id":2016042556231,"manageTime":1461579340000,"status":3,"submitTime":1461579288000,"toAddress":"14fx","merchantOrderNo":"m1","hash":"0xcd"}],"pageIndex":2,"pageSize":10,"totalCount":11,"totalPage":2}',
    ),
    result: {
      code: 1000,
      message: {
        des: 'success',
        isSuc: true,
        datas: {
          list: [
            {
              id: '2016042556231',
              amount: '0.01',
              fees: '0.0010',
              status: 3,
              submitTime: 1461579288000,
              manageTime: 1461579340000,
              toAddress: '14fx',
              merchantOrderNo: 'm1',
              hash: '0xcd',
            },
          ],
          pageIndex: 2,
          pageSize: 10,
          totalCount: 11,
          totalPage: 2,
        },
      },
    },
    fields: {
      'message.datas.list': 'strict',
      'message.datas.list.0.amount': 'decimal',
      'message.datas.list.0.status': 'strict',
      'message.datas.list.0.submitTime': 'strict',
      'message.datas.list.0.hash': 'optional',
      'message.datas.totalPage': 'optional',
    },
  },
  getChargeRecord: {
    values: { currency: 'btc', pageIndex: '1', pageSize: '10' },
    path: '/api/getChargeRecord?method=getChargeRecord&currency=btc&pageIndex=1&pageSize=10',
    body: described(
      '{"list":[{"address":"1FKN","amount":"1.00000000","confirmTimes":1,"currency":"BTC","description":"confirmed","hash":"7ce8","id":292,"itransfer":0,"status":2,"submit_time":"2016-10-18 10:13:24"}],"pageIndex":1,"pageSize":10,"total":8}',
    ),
    result: {
      code: 1000,
      message: {
        des: 'success',
        isSuc: true,
        datas: {
          list: [
            {
              id: '292',
              address: '1FKN',
              amount: '1.00000000',
              confirmTimes: 1,
              currency: 'BTC',
              description: 'confirmed',
              hash: '7ce8',
              itransfer: 0,
              status: 2,
              submit_time: '2016-10-18 10:13:24',
            },
          ],
          pageIndex: 1,
          pageSize: 10,
          total: 8,
        },
      },
    },
    fields: {
      'message.datas.list': 'strict',
      'message.datas.list.0.amount': 'decimal',
      'message.datas.list.0.status': 'strict',
      'message.datas.list.0.confirmTimes': 'optional',
      'message.datas.total': 'optional',
    },
  },
  getFeeInfo: {
    values: { currency: 'usdt' },
    path: '/api/getFeeInfo?method=getFeeInfo&currency=usdt',
    body: '{"code":1000,"message":"success","result":{"USDT":[{"chainName":"TRX","canWithdraw":true,"fee":1.0,"mainChainName":"TRON","canDeposit":true}]}}',
    result: {
      code: 1000,
      message: 'success',
      result: { USDT: [{ chainName: 'TRX', mainChainName: 'TRON', fee: '1.0', canDeposit: true, canWithdraw: true }] },
    },
    fields: { result: 'strict', 'result.USDT.0.fee': 'openDecimal', 'result.USDT.0.chainName': 'optional' },
  },
  withdraw: {
    values: {
      amount: '10.5',
      currency: 'eos',
      fees: '0.1',
      itransfer: '0',
      receiveAddr: 'eosaccount12_1000234',
      safePwd: "a b&c=d%e+f#g'h",
    },
    path: "/api/withdraw?method=withdraw&amount=10.5&currency=eos&fees=0.1&itransfer=0&receiveAddr=eosaccount12_1000234&safePwd=a%20b%26c%3Dd%25e%2Bf%23g'h",
    body: '{"code":1000,"message":"success","id":"202203281234567890"}',
    result: { code: 1000, message: 'success', id: '202203281234567890' },
    fields: { id: 'strict', code: 'strict' },
  },
} satisfies Partial<Record<OperationName, WireExample>>;

import { expect, it } from 'vitest';
import { runPit, temporaryHome } from '../../support/pit.js';
import { useLiteralExchange } from '../literal-exchange.js';

const ACCOUNT = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const sent: string[] = [];

const datas = (text: string) => `{"code":1000,"message":{"des":"success","isSuc":true,"datas":${text}}}`;
const exchange = useLiteralExchange({
  '/api/getAccountInfo':
    '{"result":{"coins":[{"key":"xrp","enName":"XRP","cnName":"","showName":"XRP","unitTag":"","unitDecimal":8,"fundstype":2,"available":"100","freez":"0","isCanRecharge":true,"isCanWithdraw":true,"canLoan":false}],"base":{"username":"u","trade_password_enabled":true,"auth_google_enabled":true,"auth_mobile_enabled":false}},"assetPerm":true,"leverPerm":true,"entrustPerm":true,"moneyPerm":true}',
  '/api/getFeeInfo':
    '{"code":1000,"message":"success","result":{"XRP":[{"chainName":"XRP","mainChainName":"XRP","fee":0.25,"canDeposit":true,"canWithdraw":true}]}}',
  '/api/getPayinAddress': datas(
    '[{"blockChain":"xrp","isUseMemo":true,"account":"exchange1","memo":"12","canDeposit":true,"canWithdraw":true}]',
  ),
  '/api/getWithdrawAddress': datas(`{"key":"${ACCOUNT}_"}`),
  '/api/getWithdrawRecord': datas('{"list":[],"pageIndex":1,"pageSize":50,"totalCount":0,"totalPage":0}'),
  '/api/withdraw': (parameters) => {
    sent.push(parameters.get('receiveAddr') ?? '');
    return '{"code":1000,"message":"success","id":"2016011202"}';
  },
});

it('pit withdraw sends the verified address that pit address shows byte for byte, also with an empty memo', async () => {
  const options = { home: temporaryHome(), ...exchange.extra };
  const shown = await runPit(['address', 'xrp', '--withdraw', '--json'], options);
  const [{ address, memo }] = JSON.parse(shown.stdout) as [{ address: string; memo: string | null }];
  expect([address, memo]).toEqual([`${ACCOUNT}_`, null]);
  const line = ['withdraw', 'xrp', '30', '--to', address, '--confirm-address', address, '--safe-pwd-stdin', '--json'];
  const { stdout, stderr } = await runPit(line, { ...options, input: 'fund-password\n' });
  expect({ sent, stderr }).toEqual({ sent: [`${ACCOUNT}_`], stderr: expect.not.stringContaining('memo') });
  expect(JSON.parse(stdout)).toMatchObject({ coin: 'xrp', address: `${ACCOUNT}_` });
});

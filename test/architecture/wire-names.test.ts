import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { isOneOf } from '../support/parts.js';
import { ROOT, textOf } from './sources.js';

/** Names of the interface's parameters and answers that pit's own words differ from. */
const WIRE_NAMES =
  'accesskey acctType addChannel assetPerm auth_google_enabled auth_mobile_enabled blockChain chainName ' +
  'changeAmount completeAmount completeMonty confirmTimes currencyName currentPrice customerOrderId dataType ' +
  'dayNumber enableExpress enableRepay endDate entrustPerm freez hrecord isCanRecharge isCanWithdraw isSuc ' +
  'isUseMemo isZip lastTime leverPerm listDown listUp mainChainName manageTime minSize moneyPerm moneyType ' +
  'orderType pageIndex pageSize push_user_asset push_user_cross_asset push_user_incr_asset push_user_incr_record ' +
  'push_user_record receiveAddr removeChannel riseRate showDate startDate submitTime submit_time toAddress ' +
  'totalCount totalPage total_amount tradeParams tradeType trade_amount trade_date trade_money ' +
  'trade_password_enabled trade_type typeDesc useXxFee';

/** Redaction masks the access key by its name in a URL; the library of prompts has an option of that name. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  accesskey: /^src\/platform\/redaction\.ts$/,
  pageSize: /^src\/terminal\/asking\/(prompts|question)\.ts$/,
};

const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file.replaceAll(path.sep, '/')}`)
  .filter((file) => !/^src\/(exchange|sandbox)\//.test(file));

it.each(WIRE_NAMES.split(' '))('the wire name %s appears only in src/exchange and src/sandbox', (name) => {
  const word = new RegExp(`\\b${name}\\b`);
  const found = files.filter((file) => word.test(textOf(file)) && ALLOWED[name]?.test(file) !== true);
  expect(found).toEqual([]);
});

/** The tests whose subject is the bytes of the interface, and what answers in its words. */
const OF_BYTES = [
  'test/{exchange,operations,sandbox}/**/*.ts',
  'test/support/{document-exchange,wire}.ts',
  'test/architecture/wire-names.test.ts',
  'test/cli-contract/{field-arrival.test,hostile-exchange}.ts',
  'test/commands/api/*.ts',
  'test/commands/{missing-fields,negative-numbers,unusual-names}.test.ts',
  'test/commands/funds/{address,empty-memo}.test.ts',
  'test/commands/session/feeds.test.ts',
  'test/commands/stream/stream.test.ts',
  'test/domain/kind.test.ts',
  'test/recipes/{other-clients,streams}.test.ts',
  'test/safety/{redaction,secrets.process}.test.ts',
  // an option of the sandbox's services, which no request has
  'test/trading/pnl/trading-days.ts',
  // the parameters of the request that a dry run shows
  'test/commands/order/{batch,margin,prices,replace}.test.ts',
  'test/commands/withdraw/withdraw.test.ts',
];

/** Tests that still write an exchange's answers by hand instead of by `test/support/wire.ts`. No new one may. */
const BY_HAND = ['test/trading/campaign/**/*.ts', 'test/campaigns/old-accounts.ts'];

/** A command line of `pit api`, which is typed in the interface's names. */
const API_LINE = /'api [^']*'|`api [^`]*`/g;

it('a test outside those of the exchange and the sandbox names no field of the interface, unless its subject is bytes', () => {
  const word = new RegExp(`\\b(${WIRE_NAMES.replaceAll(' ', '|')})\\b`);
  const found = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => file.endsWith('.ts') && word.test(textOf(file).replace(API_LINE, '')));
  expect(found.filter((file) => !isOneOf([...OF_BYTES, ...BY_HAND], file))).toEqual([]);
  expect([...OF_BYTES, ...BY_HAND].filter((pattern) => !found.some((file) => isOneOf([pattern], file)))).toEqual([]);
});

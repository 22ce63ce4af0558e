import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
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

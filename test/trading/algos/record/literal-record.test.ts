import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import type { FactRecord } from '../../../../src/trading/algos/record/fact-record.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import type { Journal } from '../../../../src/trading/journal/journal.js';
import { temporaryHome } from '../../../support/pit.js';

const ID = 'ahhhhhh';

/** The key of the digests, as it is on the disk. */
const KEY = '07'.repeat(32);

/**
 * The record of an OCO of an agent as an earlier version wrote it: its stop is reached, its take-profit was made twice by the network and is cancelled, and
 * a first stop was cancelled by somebody else.
 */
const RECORD = `
{"fact":"began","time":1,"terms":{"id":"ahhhhhh","profile":"main","owner":"account","market":{"market":"btc_usdt","base":"btc","quote":"usdt","priceScale":2,"amountScale":4,"tickSize":"0.01","lotSize":"0.0001","minAmount":"0.001","minNotional":"5"},"account":"spot","borrow":false,"repay":false,"side":"sell","amount":"1","entry":null,"when":[],"exits":{"take":"110","stop":"90","limit":"89.5","trail":{"unit":"share","value":"0.02"}},"slippage":"0.01","trigger":"book","forMs":null,"exec":null,"notify":false,"agent":{"markets":["btc_usdt"],"maxOrder":"500 usdt","maxOpen":2}},"bid":"100","ask":null,"digest":"bdf0f37d22b6bb827d86b919a6106f5108ef5c3cab75b573c07808c15c20a163"}
{"child":"ahhhhhht1","type":"limit","price":"110","amount":"1","time":5}

{"fact":"best","time":6,"price":"101.5","tradeId":"77"}
{"toldFillOf":"ahhhhhht1","filled":"0.4"}
{"duplicateOf":"ahhhhhht1","order":{"id":"8","clientId":"ahhhhhht1","market":"btc_usdt","side":"sell","type":"limit","price":"110","amount":"1","filled":"0","filledValue":"0","fee":"0.1","feeCoin":"usdt","feeDiscount":false,"time":5,"state":"open","status":0},"isProven":false}

{"fact":"paused","time":7,"cause":"user","reason":"you paused it","role":null}

{"fact":"resumed","time":8}
{"said":"The stop at 90 was reached.","time":8}

{"fact":"triggered","time":9,"leg":"exit","price":"90","source":"book","late":false}
{"cancelling":"ahhhhhht1","isInVain":false}
{"duplicateOf":"ahhhhhht1","order":{"id":"8","clientId":"ahhhhhht1","market":"btc_usdt","side":"sell","type":"limit","price":"110","amount":"1","filled":"0.1","filledValue":"11","fee":"0.1","feeCoin":"usdt","feeDiscount":false,"time":5,"state":"cancelled","status":1},"isProven":true}
{"closed":"ahhhhhht1","end":"cancelled","order":{"id":"7","clientId":"ahhhhhht1","market":"btc_usdt","side":"sell","type":"limit","price":"110","amount":"1","filled":"0.4","filledValue":"44","fee":"0.1","feeCoin":"usdt","feeDiscount":false,"time":5,"state":"cancelled","status":1}}
{"child":"ahhhhhhs2","type":"ioc","price":"89.5","amount":"0.5","time":10}
{"cancelling":"ahhhhhhs2","isInVain":false}
{"cancelling":"ahhhhhhs2","isInVain":true}
`;

const NO_JOURNAL = { unsettledEntries: () => [], archive: { newestFirst: () => [] } } as unknown as Journal;

function readRecord(text: string): FactRecord | undefined {
  const root = temporaryHome();
  mkdirSync(path.join(root, 'algos/account/open'), { recursive: true, mode: 0o700 });
  chmodSync(root, 0o700);
  writeFileSync(path.join(root, 'prepared-key'), KEY, { mode: 0o600 });
  writeFileSync(path.join(root, 'algos/account/open', ID), text, { mode: 0o600 });
  const host = { now: () => 1_000, randomBytes: (count: number) => new Uint8Array(count) };
  return new AlgoStore(host, root, 'account').read(ID);
}

describe('the record of an algo order, as it is on the disk of an earlier version', () => {
  test('is read in full, with its terms, so that the algo order goes on', () => {
    const record = readRecord(RECORD);
    expect(record).toMatchObject({ problem: null, torn: 0, lastFactTime: 9 });
    const { began, trailBest: best, exitTriggered, paused, resumed, ended } = record?.facts ?? {};
    expect([best?.price.toString(), best?.tradeId, exitTriggered?.price.toString()]).toEqual(['101.5', '77', '90']);
    expect([paused, resumed?.time, ended]).toEqual([null, 8, null]);
    const { exits, amount, entry, agent } = began?.terms ?? {};
    expect([String(amount), entry, agent?.maxOpen]).toEqual(['1', null, 2]);
    expect([String(exits?.limit), exits?.trail?.unit, String(exits?.trail?.value)]).toEqual(['89.5', 'share', '0.02']);
    expect(record?.said).toEqual([{ said: 'The stop at 90 was reached.', time: 8 }]);
  });

  test('has its children with their ends and their duplicates: what is left is neither lost nor sold twice', () => {
    const [take, stop] = new ChildrenInJournal(NO_JOURNAL, 0).of(readRecord(RECORD) as FactRecord);
    const shown = take?.children.map(({ state, end, duplicate, filled }) => [state, end, duplicate, filled.toString()]);
    expect(shown).toEqual([
      ['closed', 'cancelled', null, '0.4'],
      ['closed', 'cancelled', 'proven', '0.1'],
    ]);
    expect([take?.toldFill, take?.isCancelledHere, take?.unfinishedIds]).toEqual(['0.4', true, []]);
    expect(stop).toMatchObject({ clientId: 'ahhhhhhs2', role: 'stop', number: 2, sending: 'unknown' });
    expect([stop?.isCancelledHere, stop?.end]).toEqual([false, null]);
  });

  test('counts for nothing once one of its terms is another one', () => {
    const record = readRecord(RECORD.replace('"amount":"1","entry"', '"amount":"9","entry"'));
    expect(record?.facts).toBeUndefined();
    expect(record?.problem).toMatch(/^pit did not write its terms, or they were changed/);
  });
});

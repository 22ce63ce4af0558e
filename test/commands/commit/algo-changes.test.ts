import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ParsedLine } from '../../../src/cli/run.js';
import { type AlgoChange, madeAlgo, workOutChange } from '../../../src/commands/commit/algo-changes.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { type Hint, suggest } from '../../../src/errors.js';
import type { AlgoTerms } from '../../../src/trading/algos/plan/terms.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { AgentLimits } from '../../../src/trading/guards/agent-limits.js';
import { buy, sell } from '../../trading/algos/support/terms.js';
import { tradingOf } from '../../trading/support/trading.js';

const STOP = sell('1', { stop: '90' });
const TRAIL = buy('2', { trail: '2%' });
const TAKE = sell('3', { take: '110' });

/** An account that has these algo orders, under their names as ids. */
function account(algos: Readonly<Record<string, AlgoTerms>>, ended: readonly string[] = []) {
  const trading = tradingOf('http://127.0.0.1:1');
  const { host, state } = trading;
  Object.assign(host, { directories: { ...host.directories, state } });
  const store = new AlgoStore(host, state, 'test');
  for (const [id, terms] of Object.entries(algos)) {
    store.create(() => ({ fact: 'began', time: 1, terms: { ...terms, id }, bid: null, ask: null }), id);
    const none = { filled: Decimal.zero, remaining: Decimal.of('1'), position: Decimal.zero };
    if (ended.includes(id)) store.add(id, { fact: 'ended', time: 2, outcome: 'cancelled', reason: 'by pit', ...none });
  }
  const workOut = (kind: AlgoChange, ids: readonly string[], isUnattended = false) => {
    const line = { input: { ids } } as unknown as ParsedLine;
    return workOutChange(trading, new AgentLimits({ isUnattended }), { kind, market: 'btc_usdt', line });
  };
  return { trading, workOut };
}

describe('a change of algo orders that an agent asks for', () => {
  it('names each of them, places and cancels no order itself, and may be asked for again', () => {
    const { write, estimates } = account({ aaaaaaa: STOP, abbbbbb: TAKE }).workOut('algoPause', ['aaaaaaa', 'abbbbbb']);
    expect(write).toEqual({
      ...{ kind: 'algoPause', market: 'btc_usdt', argv: ['algo', 'pause', 'aaaaaaa', 'abbbbbb'] },
      text: 'pause algo orders aaaaaaa: sell 1 btc_usdt, stop 90.00; abbbbbb: sell 3 btc_usdt, take-profit 110.00',
      ...{ key: null, askedKey: null, does: [], places: [], cancels: [], notional: null },
    });
    expect(estimates).toEqual({
      ...{ fee: null, feeCoin: null, spentCoin: null, balanceBefore: null, balanceAfter: null },
      warnings: ['NOT PROTECTED after this: aaaaaaa. No stop of it is sent.'],
    });
  });

  it.each<[kind: AlgoChange, ids: readonly string[], text: string, warnings: readonly string[]]>([
    ['algoCancel', ['atakeaa'], 'cancel algo order atakeaa: sell 3 btc_usdt, take-profit 110.00', []],
    [
      'algoCancel',
      ['astopaa', 'atakeaa', 'atrailb'],
      'cancel algo orders astopaa: sell 1 btc_usdt, stop 90.00; atakeaa: sell 3 btc_usdt, take-profit 110.00; atrailb: buy 2 btc_usdt, trail 2%',
      ['NOT PROTECTED after this: astopaa, atrailb. No stop of them is sent.'],
    ],
    ['algoResume', ['astopaa'], 'resume algo order astopaa: sell 1 btc_usdt, stop 90.00', []],
  ])('%s of %j warns only of stops that are not sent after it', (kind, ids, text, warnings) => {
    const algos = { astopaa: STOP, atakeaa: TAKE, atrailb: TRAIL };
    const { write, estimates } = account(algos).workOut(kind, ids);
    expect([write.text, estimates.warnings]).toEqual([text, warnings]);
  });

  it.each<[what: string, terms: AlgoTerms, ended: readonly string[], message: string, hint: Hint]>([
    [
      'is in another market',
      { ...STOP, market: { ...STOP.market, market: 'eth_usdt' } },
      [],
      'There is no algo order aaaaaaa in btc_usdt.',
      suggest('List them', 'algo', 'list', '--all'),
    ],
    [
      'has ended',
      STOP,
      ['aaaaaaa'],
      'The algo order aaaaaaa has ended (cancelled).',
      suggest('See it', 'algo', 'show', 'aaaaaaa'),
    ],
  ])('is refused for one that %s', (_, terms, ended, message, hint) => {
    const { workOut } = account({ aaaaaaa: terms }, ended);
    expect(() => workOut('algoCancel', ['aaaaaaa'])).toThrow(
      expect.objectContaining({ kind: 'usage', message, hints: [hint] }),
    );
  });

  it('is refused for one that is not there, although another is', () => {
    expect(() => account({ aaaaaaa: STOP }).workOut('algoCancel', ['aaaaaaa', 'abbbbbb'])).toThrow(
      'There is no algo order abbbbbb in btc_usdt.',
    );
  });

  it('of the user is refused if the agent asks nobody, with the command for the user', () => {
    const { workOut } = account({ aaaaaaa: STOP, abbbbbb: { ...STOP, agent: {} } });
    expect(() => workOut('algoCancel', ['aaaaaaa'], true)).toThrow(
      expect.objectContaining({
        message: 'The user made the algo order aaaaaaa, so an agent that runs unattended may not change it.',
        hints: [suggest('The user can', 'algo', 'cancel', 'aaaaaaa')],
      }),
    );
    expect(workOut('algoCancel', ['aaaaaaa']).write.argv).toEqual(['algo', 'cancel', 'aaaaaaa']);
    expect(workOut('algoCancel', ['abbbbbb'], true).write.argv).toEqual(['algo', 'cancel', 'abbbbbb']);
  });
});

describe('the algo order that a commit has made', () => {
  it('is read by its id, and none if there is none or its record cannot be read', () => {
    const { trading } = account({ aaaaaaa: STOP });
    expect(madeAlgo(trading, 'aaaaaaa')).toMatchObject({ id: 'aaaaaaa', side: 'sell' });
    expect(madeAlgo(trading, 'abbbbbb')).toBeUndefined();
    const open = path.join(trading.state, 'algos', 'test', 'open');
    writeFileSync(path.join(open, 'acccccc'), 'damaged\n', { mode: 0o600 });
    mkdirSync(path.join(open, 'adddddd'));
    expect(madeAlgo(trading, 'acccccc')).toBeUndefined();
    expect(madeAlgo(trading, 'adddddd')).toBeUndefined();
  });
});

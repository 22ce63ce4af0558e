import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShellHistory } from '../../../src/commands/shell/history.js';
import { Redaction } from '../../../src/platform/redaction.js';
import { temporaryHome } from '../../support/pit.js';

const KEY = 'ce2a18e0-dshs-4c44-4515-9aca67dd706e';
const file = (state: string) => path.join(state, 'shell', 'history');

describe('the history of pit shell', () => {
  it('keeps the history for the next shell in a private file', () => {
    const state = path.join(temporaryHome(), 'state');
    const history = new ShellHistory(state, new Redaction());
    for (const line of ['depth btc_usdt', 'orders', 'orders', 'balance']) history.add(line);
    expect(new ShellHistory(state, new Redaction()).newestFirst).toEqual(['balance', 'orders', 'depth btc_usdt']);
    expect(statSync(file(state)).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file(state))).mode & 0o777).toBe(0o700);
  });

  it('holds no secret', () => {
    const state = path.join(temporaryHome(), 'state');
    const redaction = new Redaction();
    redaction.addSecret(KEY);
    const history = new ShellHistory(state, redaction);
    const secrets = [
      'api withdraw safePwd=hunter2',
      'api order accesskey=x',
      `doctor ${KEY}`,
      `doctor ${KEY.slice(0, 20)}`,
      'keys set 86f1a2b3-0c4d-4e5f-8a9b-0123456789ab',
      `keys set ${'0f'.repeat(20)}`,
      ' depth btc_usdt',
    ];
    for (const line of secrets) history.add(line);
    expect(history.newestFirst).toEqual([]);
    expect(existsSync(file(state))).toBe(false);
    history.add(`withdraw eth 1 --to 0x${'0f'.repeat(20)}`);
    expect(history.newestFirst).toHaveLength(1);
  });

  it('drops a line whose secret has become known since', () => {
    const state = path.join(temporaryHome(), 'state');
    new ShellHistory(state, new Redaction()).add('doctor hunter2hunter2');
    const redaction = new Redaction();
    redaction.addSecret('hunter2hunter2');
    expect(new ShellHistory(state, redaction).newestFirst).toEqual([]);
  });

  it('bounds the number of lines and their length', () => {
    const state = path.join(temporaryHome(), 'state');
    const history = new ShellHistory(state, new Redaction());
    history.add('first');
    history.add('x'.repeat(1_001));
    writeFileSync(file(state), Array.from({ length: 2_500 }, (_, index) => `line ${index}\n`).join(''));
    const { newestFirst } = new ShellHistory(state, new Redaction());
    expect([newestFirst.length, newestFirst[0]]).toEqual([1_000, 'line 2499']);
    expect(readFileSync(file(state), 'utf8').split('\n')).toHaveLength(1_001);
  });

  it('ignores a history file that is open to others, and fails nothing', () => {
    const state = path.join(temporaryHome(), 'state');
    const history = new ShellHistory(state, new Redaction());
    history.add('orders');
    chmodSync(file(state), 0o644);
    history.add('balance');
    expect(history.newestFirst).toEqual(['balance', 'orders']);
    expect(readFileSync(file(state), 'utf8')).toBe('orders\n');
    expect(new ShellHistory(state, new Redaction()).newestFirst).toEqual([]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { commandLine, withActiveProfile } from '../../src/cli/hints.js';
import { ACTIVE_PROFILE, Failure, suggest } from '../../src/errors.js';

describe('the command line of a hint', () => {
  it('consists of the words of the hint, each quoted for a shell', () => {
    const line = commandLine([], ['withdraw', 'btc', '1', '--memo', "it's 5 o'clock"]);
    expect(line).toBe(`pit withdraw btc 1 --memo 'it'\\''s 5 o'\\''clock'`);
  });

  it.each([
    [['--profile', 'far', 'orders'], 'pit --profile far resolve'],
    [['orders', '--profile=far'], 'pit --profile far resolve'],
    [['orders'], 'pit resolve'],
    [['cancel-after', 'btc_usdt', '--', 'bot', '--profile', 'far'], 'pit resolve'],
  ])('includes the profile that was given in "pit %j"', (given, line) => {
    expect(commandLine(given, ['resolve'])).toBe(line);
  });

  it.each([
    ['profile', 'show', 'near'],
    ['sandbox', 'stop'],
    ['completion', 'install'],
    ['help', 'exit-codes'],
    ['--help'],
    ['keys', 'set', '--profile', 'far'],
  ])('never adds a profile to a line of pit %s that takes none or has one', (...argv) => {
    expect(commandLine(['--profile', 'far'], argv)).toBe(`pit ${argv.join(' ')}`);
  });
});

it('a hint to show the profile in use shows the one that was given', () => {
  expect(commandLine(['--profile', 'far', 'orders'], ['profile', 'show'])).toBe('pit --profile far profile show');
});

describe('a hint about the active profile', () => {
  const failure = new Failure('usage', 'Too much.', {
    hint: ['It is your own limit.', suggest('Change it', 'profile', 'set', ACTIVE_PROFILE, 'withdrawLimit', 'VALUE')],
  });

  it('contains its name once the command has chosen it', async () => {
    const named = (await withActiveProfile(failure, async () => 'far')) as Failure;
    expect(named).toMatchObject({ kind: 'usage', message: 'Too much.' });
    expect(named.hints[1]).toEqual(suggest('Change it', 'profile', 'set', 'far', 'withdrawLimit', 'VALUE'));
  });

  it('is the only one for which the profile is read', async () => {
    const other = new Failure('usage', 'Too much.', { hint: ['Use less.', suggest('See what you have', 'balance')] });
    const read = vi.fn(async () => 'far');
    expect(await withActiveProfile(other, read)).toBe(other);
    expect(read).not.toHaveBeenCalled();
  });

  it('contains NAME if the profile cannot be read', async () => {
    const same = await withActiveProfile(failure, () => Promise.reject(new Error('damaged')));
    expect(same).toBe(failure);
    expect(commandLine([], ['profile', 'show', ACTIVE_PROFILE])).toBe('pit profile show NAME');
  });
});

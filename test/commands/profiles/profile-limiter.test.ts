import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShellHistory } from '../../../src/commands/shell/history.js';
import { redisProblem } from '../../../src/config/settings.js';
import { Redis } from '../../../src/exchange/limiter/redis-store.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: DEEP_MARKETS });
const SET = 'profile set sandbox limiter';

function stored(): string {
  return readFileSync(path.join(pit.home, 'config', 'profiles', 'sandbox.json'), 'utf8');
}

describe('the Redis of a profile', () => {
  it.each(['redis://10.0.0.5', 'redis://pit@redis.example.com'])('is not %s: it is unencrypted', async (url) => {
    expect(await pit.failure(`${SET} ${url}`, 2)).toMatchObject({ message: expect.stringContaining('is unencrypted') });
  });

  it('is refused while certificates are not checked', async () => {
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(await pit.failure(`${SET} rediss://redis.example.com`, 2, { environment })).toMatchObject({
      message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED=0'),
    });
  });

  it('has its password from stdin or a file, never from the command line', async () => {
    const refused = await pit.failure(`${SET} rediss://pit:sesame@redis.example.com`, 2);
    expect(JSON.stringify(refused)).not.toContain('sesame');
    const { stdout } = await pit.run(`${SET} rediss://pit@redis.example.com --password-stdin`, {
      input: 'se same/1\n',
    });
    expect(stdout).not.toContain('same');
    expect(stored()).toContain('rediss://pit:se%20same%2F1@redis.example.com');
    const file = path.join(pit.home, 'redis.txt');
    writeFileSync(file, 'open', { mode: 0o600 });
    await pit.done(`${SET} rediss://pit@redis.example.com --password-file ${file}`);
    expect(stored()).toContain('rediss://pit:open@redis.example.com');
    await pit.done('profile unset sandbox limiter');
  });

  it('is a socket that no other user can take, with its password', async () => {
    const socket = path.join(pit.home, 'redis.sock');
    await pit.run(`${SET} unix:${socket} --password-stdin`, { input: 'se same/1\n' });
    expect(stored()).toContain(`unix://:se%20same%2F1@localhost${socket}`);
    expect(await pit.failure(`${SET} unix:/tmp/redis.sock`, 2)).toMatchObject({
      message: expect.stringMatching(/^This Redis is not used: \/\S* is open to other users \(mode 777\)\.$/),
    });
    await pit.done('profile unset sandbox limiter');
  });

  it('is not used if it was stored by hand: the account counts as halted then, because nobody can say that it is not', async () => {
    const url = 'redis://10.0.0.5';
    const problem = redisProblem(url, {});
    expect(problem).toContain('is unencrypted');
    await expect(new Redis(url, problem).eval('return 1', 'key', [])).rejects.toThrow('is unencrypted');
  });
});

it('the history of the shell keeps no line with a password in a URL', () => {
  const history = new ShellHistory(path.join(pit.home, 'history'), { apply: (text: string) => text });
  history.add('profile set live limiter rediss://pit:sesame@redis.example.com');
  history.add('profile set live limiter rediss://:sesame@redis.example.com');
  history.add('profile set live limiter rediss://pit@redis.example.com --password-stdin');
  expect(history.newestFirst).toEqual(['profile set live limiter rediss://pit@redis.example.com --password-stdin']);
});

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { redisProblem, withPassword } from '../../../src/config/settings.js';
import { Redis } from '../../../src/exchange/limiter/redis-store.js';
import { temporaryHome } from '../../support/pit.js';
import { serveFalseRedis, serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';

const ask = (url: string, key = 'key', ...values: string[]) =>
  new Redis(url).eval(values.length === 0 ? "return redis.call('GET', KEYS[1])" : SET, key, values);
const SET = "return redis.call('SET', KEYS[1], ARGV[1])";

describe('a Redis on a socket', () => {
  it('is asked there, and is given the password', async () => {
    const socket = path.join(temporaryHome(), 'redis.sock');
    let sent = '';
    const url = await serveFalseRedis('$3\r\none\r\n', true, socket, (text) => {
      sent += text;
    });
    expect(redisProblem(url, {})).toBeNull();
    expect(await ask(withPassword(url, 'se same/1'))).toBe('one');
    expect(sent).toContain('se same/1');
  });

  it('quotes what it answers instead of a value', async () => {
    const url = await serveFalseRedis('-ERR \u001b[2J do "this"\r\n', true, path.join(temporaryHome(), 'redis.sock'));
    await expect(ask(url)).rejects.toThrow(/^it answered “ERR �\[2J do 'this'”$/);
  });

  it('is away if nothing is there', async () => {
    const url = `unix:${path.join(temporaryHome(), 'redis.sock')}`;
    expect(redisProblem(url, {})).toBeNull();
    await expect(ask(url)).rejects.toThrow('ENOENT');
  });

  it.each<[string, string, (folder: string) => string]>([
    ['others can write to', 'is open to other users (mode 777)', (folder) => opened(folder, 0o777)],
    // while the server is down, the first to bind the name gets it
    ['is open like /tmp', 'is open to other users (mode 777)', (folder) => opened(folder, 0o1777)],
    ['a link leads out of', 'is open to other users (mode 777)', (folder) => linked(folder)],
    ['does not exist', 'cannot be checked (ENOENT)', (folder) => path.join(folder, 'none', 'redis.sock')],
    ['is a file', 'cannot be checked (ENOTDIR)', (folder) => inFile(folder)],
  ])('is not used in a folder that %s', (_, why, place) => {
    const socket = place(temporaryHome());
    expect(redisProblem(`unix:${socket}`, {})).toContain(why);
  });
});

function opened(folder: string, mode: number): string {
  chmodSync(folder, mode);
  return path.join(folder, 'redis.sock');
}

function linked(folder: string): string {
  const open = path.join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const link = path.join(folder, 'redis.sock');
  symlinkSync(path.join(open, 'redis.sock'), link);
  return link;
}

function inFile(folder: string): string {
  writeFileSync(path.join(folder, 'file'), '');
  return path.join(folder, 'file', 'redis.sock');
}

describe.skipIf(!requires('redis-server'))('a Redis on a socket (needs redis-server)', () => {
  it('shares what others have written, with its password alone', async () => {
    const { url } = await serveRedis(path.join(temporaryHome(), 'redis.sock'), ['--requirepass', 'sesame']);
    const known = withPassword(url, 'sesame');
    expect(await ask(known, 'halts', 'one')).toBe('OK');
    expect(await ask(known, 'halts')).toBe('one');
    await expect(ask(url, 'halts')).rejects.toThrow(/^it answered “NOAUTH/);
    await expect(ask(withPassword(url, 'other'), 'halts')).rejects.toThrow(/^it answered “WRONGPASS/);
  });
});

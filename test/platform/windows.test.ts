import { spawn } from 'node:child_process';
import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { replaceFile } from '../../src/config/private-files.js';
import { BUILT, nodeOptions } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';

// The tests run on Linux and macOS: each takes the one thing that Windows does otherwise, and no more is shown by it.

function refusal(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('a file that another program has open', () => {
  const setUp = (platform: string, refusals: readonly string[]) => {
    const home = temporaryHome();
    const file = path.join(home, 'file');
    writeFileSync(file, 'before');
    vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
    const rename = vi.spyOn(fs, 'renameSync');
    for (const code of refusals)
      rename.mockImplementationOnce(() => {
        throw refusal(code);
      });
    onTestFinished(() => {
      vi.unstubAllGlobals();
      rename.mockRestore();
    });
    return { home, file };
  };

  it('replaces the file on Windows as soon as that is possible', () => {
    const { home, file } = setUp('win32', ['EPERM', 'EBUSY', 'EACCES']);
    replaceFile(file, 'after');
    expect([readFileSync(file, 'utf8'), readdirSync(home)]).toEqual(['after', ['file']]);
  });

  it('keeps its content if another program never closes it, and no temporary file is left', () => {
    const { home, file } = setUp('win32', Array(60).fill('EPERM'));
    expect(() => replaceFile(file, 'after')).toThrow('EPERM');
    expect([readFileSync(file, 'utf8'), readdirSync(home)]).toEqual(['before', ['file']]);
  });

  it.each([
    ['elsewhere', 'linux', 'EPERM'],
    ['for another reason', 'win32', 'ENOSPC'],
  ])('fails at once %s', (_title, platform, code) => {
    const { file } = setUp(platform, [code]);
    expect(() => replaceFile(file, 'after')).toThrow(code);
    expect(readFileSync(file, 'utf8')).toBe('before');
  });
});

/** Loaded before pit: the platform's name, and the two things about signals that are different there. */
const WINDOWS = `
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const kill = process.kill;
  process.kill = (pid, signal) => {
    if (signal === 'SIGHUP') throw Object.assign(new Error('kill ENOSYS'), { code: 'ENOSYS' });
    return kill.call(process, pid, signal);
  };
  process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));
`;

describe('a signal on Windows', () => {
  it.each([
    ['Ctrl-Break', 'SIGUSR2', 143],
    ['the close of the console', 'SIGHUP', 129],
  ] as const)('%s ends pit in order', async (_title, signal, code) => {
    const home = temporaryHome();
    const preloaded = path.join(home, 'windows.cjs');
    writeFileSync(preloaded, WINDOWS);
    const server = createServer();
    const asked = new Promise<void>((resolve) => server.on('request', () => resolve()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // the executable holds the libraries of its own platform only
    const child = spawn(process.execPath, [BUILT, 'ticker', 'btc_usdt'], {
      env: plainEnvironment(home, {
        ...nodeOptions('--require', preloaded),
        ...{ PIT_BASE_URL: url, PIT_TRADE_URL: url, PIT_ACCESS_KEY: 'access', PIT_SECRET_KEY: 'secret' },
      }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise((resolve) => child.on('close', (exitCode, by) => resolve([exitCode, by])));
    await Promise.race([asked, ended]);
    child.kill(signal);
    expect([await ended, stderr]).toEqual([[code, null], '']);
  });
});

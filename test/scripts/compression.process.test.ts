import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { afterFile } from '../support/after-file.js';
import { temporaryHome } from '../support/pit.js';
import { runProgram, serveSandboxProgram } from '../support/program.js';

const COMPRESSIONS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: storedAsZstd,
};

/** A frame of one raw block, as RFC 8878 has it: Node 20 cannot make one. */
function storedAsZstd(body: Buffer): Buffer {
  const head = Buffer.from('28b52ffda000000000000000', 'hex');
  head.writeUInt32LE(body.length, 5);
  const isLast = 1;
  head.writeUIntLE((body.length << 3) | isLast, 9, 3);
  return Buffer.concat([head, body]);
}

it('the built program reads a response in each compression that it asks for', async () => {
  const { environment } = await serveSandboxProgram(temporaryHome());
  const { PIT_BASE_URL = '' } = environment;
  let compression = 'gzip';
  let accepted = '';
  const server = createServer(async ({ url = '', headers }, response) => {
    accepted = headers['accept-encoding'] ?? '';
    const answer = await fetch(new URL(url, PIT_BASE_URL));
    const compressed = COMPRESSIONS[compression]?.(Buffer.from(await answer.arrayBuffer()));
    response.writeHead(answer.status, { 'content-encoding': compression }).end(compressed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const markets = async () =>
    runProgram(['markets', '--json'], { home: temporaryHome(), environment: { ...environment, PIT_BASE_URL: url } });

  const { stdout } = await markets();
  expect(stdout).toContain('btc_usdt');
  const asked = accepted.split(', ');
  expect(asked).toEqual(expect.arrayContaining(['gzip', 'deflate', 'br']));
  for (compression of asked) expect([compression, (await markets()).stdout]).toEqual([compression, stdout]);
});

it.each(['zstd', 'nonsense'])(
  'the built program survives a response in %s that it did not ask for',
  async (compression) => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-encoding': compression }).end('{"a":'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterFile(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { PIT_BASE_URL: url, PIT_TRADE_URL: url };
    const { code, stderr } = await runProgram(['markets', '--json', '--timeout', '3'], {
      home: temporaryHome(),
      environment,
    });
    expect([1, 5]).toContain(code);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { exitCode: code } });
    expect(stderr).not.toMatch(/TypeError|pit has a bug/);
  },
);

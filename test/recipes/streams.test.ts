import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Evidence } from '../../src/exchange/channels/channel.js';
import { channels, PROTOCOL } from '../../src/exchange/channels/index.js';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/streams.md'), 'utf8');

function words(source: Evidence): string {
  if (source === 'document') return 'document';
  if (source === 'choice') return 'our choice';
  return source.clients === 1 ? '1 client' : `${source.clients} clients`;
}

it.each(Object.entries(channels))(
  'docs/streams.md says where the facts about %s come from',
  (_, { template, sources }) => {
    const name = template.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) => parameter.toUpperCase());
    const line = `| \`${name}\` | ${[sources.name, sources.parameters, sources.frame].map(words).join(' | ')} |`;
    expect(PAGE).toContain(`\n${line}\n`);
  },
);

it.each(Object.entries(PROTOCOL.sources))('docs/streams.md says where the fact "%s" comes from', (name, source) => {
  const line = FACTS[name];
  if (line === undefined) throw new Error(`docs/streams.md lacks the fact ${name}`);
  expect(PAGE).toContain(`\n| ${line} | ${words(source)} |\n`);
});

/** The facts as the page names them. */
const FACTS: Readonly<Record<string, string>> = {
  path: 'Address | `wss://HOST/websocket`, text frames of JSON',
  ping: 'Heartbeat | `ping` is answered with `pong`',
  pingSeconds: 'Seconds between heartbeats | 5',
  subscribe: 'Subscribe | `{"event":"addChannel","channel":"btcusdt_ticker"}`',
  unsubscribe: 'Unsubscribe | `{"event":"removeChannel",…}`',
  subscriptionsPerSecond: 'Subscriptions a second | 60',
  signature: 'Signature | HMAC-MD5 of the message, in its field `sign`',
  accessKey: 'Access key | in the field `accesskey`',
  userMarket: 'Market of your own channels | `btcusdtdefault`',
  compression: 'Compression | base64 of zlib',
  errors: 'Errors | `{"no":"0","code":1008,"success":false,"message":"…"}`',
};

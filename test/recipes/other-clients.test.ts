import { readFileSync } from 'node:fs';
import { type Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { signedUrl } from '../sandbox/signing.js';
import { serveSandbox, temporaryHome } from '../support/pit.js';
import { clientOfPage, OTHER_CLIENTS, STREAM_OPTION, USER_AGENT } from './other-clients.js';

interface Options {
  readonly agent: Agent;
  readonly apiKey: string;
  readonly secret: string;
  readonly userAgent?: string;
}

/** A client that puts its addresses together as ccxt does: host, version and path. */
class SmallClient {
  readonly #options: Options;

  readonly urls = { api: { spot: {} as { v1?: { public: string; private: string } }, ws: {} as { spot?: string } } };
  contractV2PublicGetConfigMarketList = async (): Promise<{ readonly data: readonly unknown[] }> => {
    throw new Error('the interface has no futures');
  };
  markets: readonly string[] = [];

  constructor(options: object) {
    this.#options = options as Options;
  }

  async loadMarkets(): Promise<void> {
    const futures = await this.contractV2PublicGetConfigMarketList();
    this.markets = [
      ...Object.keys(await this.#ask(`${this.urls.api.spot.v1?.public}/v1/markets`)),
      ...futures.data,
    ].map(String);
  }

  account(): Promise<object> {
    const { apiKey: accessKey, secret: secretKey } = this.#options;
    const tradeUrl = this.urls.api.spot.v1?.private.replace(/\/api$/, '') ?? '';
    return this.#ask(signedUrl({ tradeUrl }, { accessKey, secretKey }, 'getAccountInfo'));
  }

  /** The first message of a channel. */
  first(channel: string): Promise<string> {
    const { userAgent = '' } = this.#options;
    const socket = new WebSocket(this.urls.api.ws.spot ?? '', { headers: { 'user-agent': userAgent } });
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('open', () => socket.send(JSON.stringify({ event: 'addChannel', channel })));
      socket.on('message', (data) => {
        socket.close();
        resolve(String(data));
      });
    });
  }

  async #ask(url: string): Promise<object> {
    const { agent, userAgent = 'a program' } = this.#options;
    const answer = await new Promise<string>((resolve, reject) =>
      get(url, { agent, headers: { 'user-agent': userAgent } }, (response) => resolve(text(response))).on(
        'error',
        reject,
      ),
    );
    return JSON.parse(answer);
  }
}

describe('the sample of docs/sandbox.md for clients of others', () => {
  it.each([
    ['document', []],
    ['observed', []],
    ['document', ['--strict-agent']],
  ])('connects a client to markets, account and streams of a sandbox: dialect %s %s', async (dialect, flags) => {
    const { address } = await serveSandbox(temporaryHome(), ['--no-limits', '--dialect', dialect, ...flags]);
    const client = await clientOfPage(SmallClient, address, flags.length === 0 ? {} : { userAgent: USER_AGENT });
    expect(client.markets).toContain('btc_usdt');
    expect(await client.account()).toHaveProperty('result.coins');
    expect(await client.first('btcusdt_ticker')).toContain('btcusdt_ticker');
  });

  it('needs the User-Agent that the page names for a sandbox with --strict-agent', async () => {
    const { address } = await serveSandbox(temporaryHome(), ['--no-limits', '--strict-agent']);
    const client = await clientOfPage(SmallClient, address);
    expect(client.markets).not.toContain('btc_usdt');
  });
});

it('docs/sandbox.md names the clients and the version that the campaign installs, and how it recognizes their classes', () => {
  const campaign = readFileSync('test/campaigns/streams.ts', 'utf8');
  const [, version] = /'ccxt@(\d+)\./.exec(campaign) ?? [];
  expect(OTHER_CLIENTS.replace(/\s+/g, ' ')).toContain(`ccxt ${version}`);
  expect(OTHER_CLIENTS).toContain('quick_depth');
  expect(campaign).toContain('/quick_depth/');
  expect(STREAM_OPTION).toBe('wssPath');
});

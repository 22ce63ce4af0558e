import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A client that keeps every frame as text until it is asked for. It uses none of pit's own code. */
export class StreamClient {
  readonly #frames: string[] = [];
  #wake: () => void = () => undefined;
  /** How the sandbox names its exchange. */
  exchange: string | string[] | undefined;
  #keep: (frame: string) => void = (frame) => {
    this.#frames.push(frame);
    this.#wake();
  };

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.#keep(data.toString());
    });
    socket.on('close', () => this.#wake());
    socket.on('error', () => undefined);
  }

  /** Closed at the end of the test. */
  static async connect(port: number, options: ClientOptions = {}, path = '/websocket'): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(`ws://127.0.0.1:${port}${path}`, options));
    client.socket.once('upgrade', ({ headers }) => {
      client.exchange = headers['sandbox-exchange'];
    });
    onTestFinished(() => client.socket.terminate());
    await once(client.socket, 'open');
    return client;
  }

  /** Sends a text, or the JSON of a message. */
  send(message: string | object): this {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return this;
  }

  subscribe(channel: string, fields: object = {}): this {
    return this.send({ event: 'addChannel', channel, ...fields });
  }

  subscribeSigned(keys: Keys, channel: string, fields: object = {}): this {
    return this.send(signed(keys, { event: 'addChannel', channel, ...fields }));
  }

  /** The next frame; waits for it. Throws if the connection ends first. */
  async next(): Promise<string> {
    while (this.#frames.length === 0) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('the connection has ended');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#frames.shift() ?? '';
  }

  /** The frames that the server sent before it answered a ping that is sent now. */
  async settled(): Promise<string[]> {
    this.send('ping');
    const frames: string[] = [];
    for (let frame = await this.next(); frame !== 'pong'; frame = await this.next()) frames.push(frame);
    return frames;
  }

  /** Hands over all frames that were not asked for, and every further one. */
  each(use: (frame: string) => void): void {
    for (const frame of this.#frames.splice(0)) use(frame);
    this.#keep = use;
  }

  /** The code with which the server closes the connection. */
  async closeCode(): Promise<number> {
    const [code] = (await once(this.socket, 'close')) as [number];
    return code;
  }
}

/** A message with the signature that clients of the exchange make: HMAC-MD5 over its compact JSON, keys sorted. */
function signed({ accessKey, secretKey }: Keys, message: object): Record<string, unknown> {
  const sorted = Object.fromEntries(
    Object.entries({ ...message, accesskey: accessKey }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const key = createHash('sha1').update(secretKey).digest('hex');
  return { ...sorted, sign: createHmac('md5', key).update(JSON.stringify(sorted)).digest('hex') };
}

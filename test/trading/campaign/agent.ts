import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** The error object of a tool. */
export interface ToolError {
  readonly kind: string;
  readonly message: string;
  readonly clientId: string | null;
}

/** What a tool has answered; undefined if no answer came. */
export interface ToolReply<Data> {
  readonly data?: Data;
  readonly error?: ToolError;
  readonly warnings?: readonly { readonly message: string; readonly hint: string | null }[];
}

type Message = { readonly id: number; readonly result?: { readonly structuredContent: ToolReply<never> } };

/** A client of `pit mcp` in its own process. */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams;

  /** Everything that the server has printed. */
  printed = '';
  readonly ended: Promise<void>;
  readonly #waiting = new Map<number, (message: Message | undefined) => void>();
  #last = 0;
  #line = '';
  #isOver = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;

    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.printed += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.ended = new Promise((resolve) => {
      child.on('close', () => {
        this.#isOver = true;
        for (const answer of this.#waiting.values()) answer(undefined);
        resolve();
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'campaign', version: '1' };
    await this.#ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
  }

  /** Calls a tool. @param signal gives up, as a client that has waited for too long */
  async call<Data>(name: string, given: object, signal?: AbortSignal): Promise<ToolReply<Data> | undefined> {
    const message = await this.#ask('tools/call', { name, arguments: given }, signal);
    return message?.result?.structuredContent;
  }

  /** Ends the server as the kernel does when memory is short. */
  kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  /** Goes away in the middle, as a client that has crashed. */
  hangUp(): Promise<void> {
    this.#child.stdin.end();
    return this.ended;
  }

  #ask(method: string, params: object, signal?: AbortSignal): Promise<Message | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      const answer = (message: Message | undefined) => {
        this.#waiting.delete(id);
        resolve(message);
      };
      this.#waiting.set(id, answer);
      signal?.addEventListener('abort', () => {
        this.#send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'it took too long' } });
        answer(undefined);
      });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    if (!this.#isOver) this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(text: string): void {
    this.printed += text;
    const lines = `${this.#line}${text}`.split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      this.#waiting.get(message.id)?.(message);
    }
  }
}

import { PassThrough } from 'node:stream';
import type { CommandInProcess, ProcessOptions } from '../../support/in-process.js';
import type { PitHome } from '../pit-home.js';

/** An answer of the server. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What a tool has answered. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: {
    readonly data?: unknown;
    readonly nextCursor?: string | null;
    readonly warnings?: readonly { readonly message: string; readonly hint: string | null }[];
    readonly error?: {
      readonly kind: string;
      readonly message: string;
      readonly hint: string | null;
      readonly exitCode: number;
    };
  };
  readonly isError?: boolean;
}

/** What makes a request one of the newer protocol. */
export function modernMeta(capabilities: object = {}): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

interface ServerOptions {
  readonly pit: PitHome;
  readonly environment?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  readonly host?: ProcessOptions['host'];
}

/** `pit mcp` in this process or in a world, with a client that speaks its lines. */
export class TestClient {
  readonly input = new PassThrough();
  readonly command: CommandInProcess;
  readonly #pit: PitHome;
  #last = 0;
  readonly #waiting: ((line: string) => void)[] = [];
  readonly #lines: string[] = [];
  /** Called with each line when the server writes it. */
  onLine: (line: string) => void = () => undefined;
  #unfinished = '';

  constructor({ pit, environment = {}, words = [], host }: ServerOptions) {
    this.#pit = pit;
    this.command = pit.start(['mcp', ...words], {
      environment,
      ...(host === undefined ? {} : { host }),
      input: this.input,
      onPrinted: (text, name) => {
        if (name === 'stdout') this.#take(text);
      },
    });
  }

  /** Sends a line and returns the next one that the server sends. */
  async line(text: string): Promise<string> {
    this.input.write(`${text}\n`);
    return this.nextLine();
  }

  nextLine(): Promise<string> {
    const line = this.#lines.shift();
    return line === undefined
      ? this.#pit.finish(new Promise<string>((resolve) => this.#waiting.push(resolve)))
      : Promise.resolve(line);
  }

  /** Asks one thing at a time. */
  async ask(method: string, params: object = {}): Promise<Message> {
    this.#last += 1;
    return JSON.parse(await this.line(JSON.stringify({ jsonrpc: '2.0', id: this.#last, method, params }))) as Message;
  }

  /** Opens a connection of the older protocol. */
  async initialize(capabilities: object = {}): Promise<Message> {
    const answer = await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    });
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return answer;
  }

  async call(name: string, given: object = {}): Promise<ToolResult> {
    const { result, error } = await this.ask('tools/call', { name, arguments: given });
    if (result === undefined) throw new Error(`No result: ${JSON.stringify(error)}`);
    return result as unknown as ToolResult;
  }

  /** Goes away, as a client that is closed. Resolves with the exit code. */
  end(): Promise<number> {
    this.input.end();
    return this.command.ended;
  }

  #take(text: string): void {
    this.#unfinished += text;
    const lines = this.#unfinished.split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      this.onLine(line);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#lines.push(line);
      else waiting(line);
    }
  }
}

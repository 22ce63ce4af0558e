import type { Readable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { systemErrorCode } from '../../errors.js';
import type { TerminalOutput, TextOutput } from '../../platform/host.js';
import { NumberText, parseJson } from '../../platform/json.js';

/** In bytes. No message to pit comes near it. */
const LONGEST_LINE = 1_048_576;

/**
 * The protocol's messages on stdin and stdout, one a line. Unlike the package's own transport it keeps the digits of numbers: in
 * the arguments of a tool, each is the text that was sent, because an amount must not pass through a double.
 */
export class StdioTransport implements Transport {
  readonly #input: Readable;
  readonly #output: TextOutput | TerminalOutput;

  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called when a message was written. */
  onsent?: (message: JSONRPCMessage) => void;
  /** Resolves when the client has gone: stdin has ended, or stdout has no reader. */
  readonly closed: Promise<void>;
  #resolveClosed: () => void = () => undefined;
  #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  #isClosed = false;

  constructor(input: Readable, output: TextOutput | TerminalOutput) {
    this.#input = input;
    this.#output = output;

    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#onEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) {
          // a client that has gone needs no report
          if (systemErrorCode(error) !== 'EPIPE') this.onerror?.(error);
          void this.close();
        } else this.onsent?.(message);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd).pause();
    this.onclose?.();
    this.#resolveClosed();
  }

  readonly #onEnd = (): void => void this.close();

  readonly #onData = (chunk: Buffer | string): void => {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(0x0a); end !== -1 && !this.#isClosed; end = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...this.#unfinished, rest.subarray(0, end)]).toString('utf8');
      this.#unfinished = [];
      this.#unfinishedBytes = 0;
      rest = rest.subarray(end + 1);
      if (line.trim() !== '') this.#receive(line);
    }
    this.#unfinished.push(rest);
    this.#unfinishedBytes += rest.length;
    if (this.#unfinishedBytes <= LONGEST_LINE) return;
    this.onerror?.(new Error(`A message is longer than ${LONGEST_LINE} bytes.`));
    void this.close();
  };

  #receive(line: string): void {
    let value: unknown;
    try {
      value = withNumbers(parseJson(line));
    } catch (error) {
      this.#refuse(ProtocolErrorCode.ParseError, error);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch (error) {
      this.#refuse(ProtocolErrorCode.InvalidRequest, error);
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(code: ProtocolErrorCode, cause: unknown): void {
    this.onerror?.(cause instanceof Error ? cause : new Error(String(cause)));
    void this.send({ jsonrpc: '2.0', error: { code, message: 'This is no message of the protocol.' } });
  }
}

/**
 * The message with its numbers. In the arguments of a tool they stay the texts that were sent.
 * @param within the name under which this is held
 */
function withNumbers(value: unknown, read: (text: string) => unknown = Number, within = ''): unknown {
  if (value instanceof NumberText) return read(value.text);
  if (Array.isArray(value)) return value.map((one) => withNumbers(one, read));
  if (typeof value !== 'object' || value === null) return value;
  const readIn = (name: string) => (within === 'params' && name === 'arguments' ? String : read);
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withNumbers(held, readIn(name), name)]));
}

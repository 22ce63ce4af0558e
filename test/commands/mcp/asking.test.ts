import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../src/cli/context.js';
import { PROGRAM } from '../../../src/commands/index.js';
import { text } from '../../../src/commands/mcp/parameters.js';
import { serve } from '../../../src/commands/mcp/server.js';
import { type Tool, tool } from '../../../src/commands/mcp/tool.js';
import type { Context } from '../../../src/commands/session/command.js';
import { Failure } from '../../../src/errors.js';
import { Output } from '../../../src/terminal/output.js';
import { fakeHost } from '../../support/fake-host.js';
import { type Message, modernMeta } from './client.js';

/** A price that changes between two calls. */
let price = '100';

const buy: Tool = tool({
  name: 'buy',
  title: 'Buy',
  description: 'Use it to buy.',
  parameters: { amount: text('how much') },
  output: { type: 'string' },
  effect: 'destructive',
  answer: async ({ given: { amount }, canAsk, replyTo }) => {
    if (!canAsk) throw new Failure('declined', 'This client cannot ask.');
    const question = `Buy ${amount} at ${price}?`;
    const reply = replyTo(question);
    return reply === undefined ? { question } : { data: reply };
  },
});

/** A server with this one tool, and a client that sends lines to it. */
function start() {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let random = 0;
  const host = {
    ...fakeHost(),
    input,
    output,
    errors,
    randomBytes: (count: number) => {
      random += 1;
      return new Uint8Array(count).fill(random);
    },
  };
  const context = { host, output: new Output(host, 'table') } satisfies Pick<CliContext, 'host' | 'output'>;
  const ended = serve({
    context: context as unknown as Context,
    program: PROGRAM,
    tools: [buy],
    environment: {},
    flags: [],
  });
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();
  let waiting: string[] = [];
  const next = async (): Promise<Message & { readonly id: number }> => {
    while (waiting.length === 0)
      waiting = String((await lines.next()).value)
        .trimEnd()
        .split('\n');
    return JSON.parse(waiting.shift() ?? '');
  };
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (id: number, method: string, params: object) => {
    send({ id, method, params });
    return next();
  };
  return { ask, next, send, end: () => ended, input };
}

const QUESTION = {
  method: 'elicitation/create',
  params: {
    message: 'Buy 5 at 100?',
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Confirm', default: false } },
      required: ['confirm'],
    },
  },
};
const CALL = { name: 'buy', arguments: { amount: 5 } };
const ACCEPTED = { action: 'accept', content: { confirm: true } };

describe('in the older protocol the server asks the client in between', () => {
  async function asked(reply: object) {
    price = '100';
    const server = start();
    const clientInfo = { name: 'test', version: '1' };
    await server.ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo });
    const question = await server.ask(2, 'tools/call', CALL);
    server.send({ id: question.id, result: reply });
    const answer = await server.next();
    server.input.end();
    await server.end();
    return { question, answer };
  }

  it('and confirms what the user has accepted and ticked', async () => {
    const { question, answer } = await asked(ACCEPTED);
    expect(question).toMatchObject(QUESTION);
    expect(answer.result).toMatchObject({ structuredContent: { data: 'confirmed' } });
  });

  it.each([{ action: 'accept', content: { confirm: false } }, { action: 'decline' }, { action: 'cancel' }])(
    'and declines after %j',
    async (reply) => {
      const { answer } = await asked(reply);
      expect(answer.result).toMatchObject({ structuredContent: { data: 'declined' } });
    },
  );

  it.each([
    { action: 'accept', content: {} },
    { action: 'accept', content: { confirm: 'true' } },
    { action: 'accept' },
  ])('and says why it counts as not confirmed after %j', async (reply) => {
    const { answer } = await asked(reply);
    const why = 'what the client sent is no reply to the question';
    expect(answer.result).toMatchObject({ structuredContent: { data: { why } } });
  });

  it('but not a client that has not said that it can', async () => {
    const server = start();
    const clientInfo = { name: 'test', version: '1' };
    await server.ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    const { result } = await server.ask(2, 'tools/call', CALL);
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { kind: 'declined', exitCode: 8 } } });
    server.input.end();
    await server.end();
  });
});

describe('in the newer protocol the client sends the call again with the reply', () => {
  const capable = modernMeta({ elicitation: { form: {} } });
  const retry = (requestState: unknown, reply: object = ACCEPTED, call: object = CALL) => ({
    ...call,
    _meta: capable,
    requestState,
    inputResponses: { confirm: reply },
  });

  async function open() {
    price = '100';
    const server = start();
    const { result } = await server.ask(1, 'tools/call', { ...CALL, _meta: capable });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { confirm: QUESTION } });
    return { server, state: result?.requestState };
  }

  it('which counts once', async () => {
    const { server, state } = await open();
    const first = await server.ask(2, 'tools/call', retry(state));
    expect(first.result).toMatchObject({ structuredContent: { data: 'confirmed' } });
    const again = await server.ask(3, 'tools/call', retry(state));
    expect(again.result).toMatchObject({ resultType: 'input_required' });
    server.input.end();
    await server.end();
  });

  it('which counts only for the words that were asked', async () => {
    const { server, state } = await open();
    const other = await server.ask(2, 'tools/call', retry(state, ACCEPTED, { ...CALL, arguments: { amount: 50 } }));
    expect(other.result).toMatchObject({ resultType: 'input_required' });
    price = '101';
    const moved = await server.ask(3, 'tools/call', retry(state));
    expect(moved.result).toMatchObject({ resultType: 'input_required' });
    server.input.end();
    await server.end();
  });

  it.each([
    [99, { structuredContent: { data: 'confirmed' } }],
    [100, { resultType: 'input_required' }],
  ])(
    'which counts as long as the question is one of the newest hundred: %i were asked since',
    async (newer, expected) => {
      const { server, state } = await open();
      for (let id = 2; id < newer + 2; id += 1) await server.ask(id, 'tools/call', { ...CALL, _meta: capable });
      expect((await server.ask(200, 'tools/call', retry(state))).result).toMatchObject(expected);
      server.input.end();
      await server.end();
    },
  );

  it('which does not count without a question', async () => {
    const { server } = await open();
    for (const state of ['guessed', undefined]) {
      const { result } = await server.ask(2, 'tools/call', retry(state));
      expect(result).toMatchObject({ resultType: 'input_required' });
    }
    server.input.end();
    await server.end();
  });

  it('but is not asked if it cannot show a question', async () => {
    const server = start();
    const { result } = await server.ask(1, 'tools/call', { ...CALL, _meta: modernMeta({ elicitation: { url: {} } }) });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { kind: 'declined' } } });
    server.input.end();
    await server.end();
  });
});

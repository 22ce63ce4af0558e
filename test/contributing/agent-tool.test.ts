import { expect, it, onTestFinished, vi } from 'vitest';
import { TestClient } from '../commands/mcp/client.js';
import { useWorld } from '../commands/pit-home.js';

// what CONTRIBUTING says of a tool for agents: an entry in the table, and all else follows
vi.mock('../../src/commands/mcp/read-tools.js', async (original) => {
  const module = await original<typeof import('../../src/commands/mcp/read-tools.js')>();
  const { integer, optional, text } = await import('../../src/commands/mcp/parameters.js');
  const { commandWords, tool } = await import('../../src/commands/mcp/tool.js');
  const { default: depth } = await import('../../src/commands/market/depth.js');
  const touch = tool({
    name: 'touch',
    title: 'Best prices',
    description: 'Use it to see the best prices of a market.',
    parameters: { market: text('such as btc_usdt'), size: optional(integer('levels per side')) },
    follows: depth,
    output: depth.output,
    effect: 'read',
    answer: ({ given: { market, size }, run }) => run(commandWords('depth', { size }, [market])),
  });
  return { ...module, READ_TOOLS: [...module.READ_TOOLS, touch] };
});

const pit = useWorld();

async function connected(): Promise<TestClient> {
  const client = new TestClient({ pit });
  await client.initialize();
  onTestFinished(async () => {
    await client.end();
  });
  return client;
}

it('a tool that is added to the table is listed with its parameters, its schema, and that it only reads', async () => {
  const client = await connected();
  const { result } = await client.ask('tools/list');
  const tools = result?.tools as readonly { readonly name: string }[];
  expect(tools.find(({ name }) => name === 'touch')).toMatchObject({
    title: 'Best prices',
    inputSchema: { required: ['market'], properties: { size: { type: 'integer' } } },
    annotations: { readOnlyHint: true },
  });
});

it('a tool that is added to the table answers what its command prints with --json', async () => {
  const client = await connected();
  const { structuredContent, isError } = await client.call('touch', { market: 'btc_usdt', size: 1 });
  expect({ isError, data: structuredContent.data }).toEqual({
    isError: undefined,
    data: { ...(await pit.json<object>('depth btc_usdt --size 1')), time: expect.any(String) },
  });
});

it('a tool that is added to the table keeps to the rules of its command and of its parameters', async () => {
  const client = await connected();
  const outside = await client.call('touch', { market: 'btc_usdt', size: 51 });
  expect(outside.structuredContent.error).toMatchObject({ kind: 'usage', exitCode: 2 });
  const unknown = await client.call('touch', { market: 'btc_usdt', depth: 3 });
  expect(unknown.isError).toBe(true);
});

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runPit, temporaryHome } from '../../support/pit.js';

const home = temporaryHome();
/** As npm installs it. */
const INSTALLED = { self: { command: '/opt/node/bin/node', arguments: ['/opt/node/lib/node_modules/pit/bin/pit.js'] } };
/** As one file. */
const EXECUTABLE = { self: { command: '/home/ada/bin/pit', arguments: [] } };

async function configuration(words: string, host: typeof INSTALLED | typeof EXECUTABLE, environment = {}) {
  const { stdout, code } = await runPit(`mcp config ${words}`.split(' '), { home, host, environment });
  expect(code).toBe(0);
  return stdout;
}

const SERVER = {
  command: '/opt/node/bin/node',
  args: ['/opt/node/lib/node_modules/pit/bin/pit.js', 'mcp'],
  env: { PIT_HOME: home },
};

describe('pit mcp config', () => {
  it.each([
    ['claude', { mcpServers: { pit: SERVER } }],
    ['cursor', { mcpServers: { pit: SERVER } }],
    ['vscode', { servers: { pit: { type: 'stdio', ...SERVER } } }],
    ['gemini', { mcpServers: { pit: SERVER } }],
  ])('%s gets its JSON with absolute paths', async (client, expected) => {
    expect(JSON.parse(await configuration(client, INSTALLED))).toEqual(expected);
  });

  it('codex gets its TOML, whose texts are quoted', async () => {
    const text = await configuration('codex --profile a"b', EXECUTABLE);
    expect(text).toBe(
      [
        '[mcp_servers.pit]',
        'command = "/home/ada/bin/pit"',
        'args = ["mcp", "--profile", "a\\"b"]',
        `env = { PIT_HOME = "${home}" }`,
        '',
      ].join('\n'),
    );
  });

  it('names the profile of the flag, or else of the environment', async () => {
    const argsOf = async (words: string) => {
      const text = await configuration(words, EXECUTABLE, { PIT_PROFILE: 'overseas' });
      return JSON.parse(text).mcpServers.pit.args;
    };
    expect(await argsOf('claude')).toEqual(['mcp', '--profile', 'overseas']);
    expect(await argsOf('claude --profile live')).toEqual(['mcp', '--profile', 'live']);
  });

  it('prints no key, and writes nothing', async () => {
    const keys = { PIT_ACCESS_KEY: 'an-access-key-0001', PIT_SECRET_KEY: 'a-secret-key-0002' };
    for (const client of ['claude', 'codex']) {
      const text = await configuration(client, INSTALLED, keys);
      expect(Object.values(keys).filter((key) => text.includes(key))).toEqual([]);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it('says which clients it knows', async () => {
    const { code, stdout, stderr } = await runPit(['mcp', 'config', 'vim'], { home });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'pit: The client must be one of claude, cursor, vscode, codex, gemini, not "vim".\n',
    });
  });
});

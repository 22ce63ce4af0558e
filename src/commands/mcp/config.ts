import path from 'node:path';
import { required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Host } from '../../platform/host.js';
import { oneOf } from '../inputs/parsers.js';
import { define } from '../session/command.js';

/** What a client runs to start the server. */
interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where a client reads its servers from, and in which form. */
interface ClientFormat {
  readonly files: string;
  readonly text: (server: ServerCommand) => string;
}

const CLIENTS = {
  claude: {
    files: '.mcp.json in a project (Claude Code), or claude_desktop_config.json (Claude Desktop)',
    text: (server) => json({ mcpServers: { pit: server } }),
  },
  cursor: { files: '~/.cursor/mcp.json', text: (server) => json({ mcpServers: { pit: server } }) },
  vscode: { files: '.vscode/mcp.json', text: (server) => json({ servers: { pit: { type: 'stdio', ...server } } }) },
  codex: { files: '~/.codex/config.toml', text: toml },
  gemini: { files: '~/.gemini/settings.json', text: (server) => json({ mcpServers: { pit: server } }) },
} as const satisfies Record<string, ClientFormat>;

const CLIENT_NAMES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

export default define({
  summary: 'Print the configuration that lets a client start pit mcp',
  arguments: { client: required(CLIENT_NAMES.join(', '), oneOf('The client', ...CLIENT_NAMES)) },
  examples: ['mcp config claude', 'mcp config codex --profile live'],
  output: shape.object({
    client: shape.enumOf(CLIENT_NAMES, ''),
    files: shape.text('where the client reads it'),
    configuration: shape.text('JSON, or TOML for codex'),
  }),
  async run({ host, globals, output }, { client }) {
    const { files, text } = CLIENTS[client];
    const configuration = text(serverCommand(host, globals.profile));
    output.note(`Add this to ${files}. pit writes no file of another program.`);
    return { data: { client, files, configuration }, show: () => configuration };
  },
});

/** A client has neither the folder nor the environment of this shell, so everything is spelled out; keys never are. */
function serverCommand({ self, environment }: Host, profile = environment.PIT_PROFILE): ServerCommand {
  const { PIT_HOME: home } = environment;
  return {
    command: self.command,
    args: [...self.arguments.map((file) => path.resolve(file)), 'mcp', ...(profile ? ['--profile', profile] : [])],
    env: home ? { PIT_HOME: path.resolve(home) } : {},
  };
}

function json(document: object): string {
  return JSON.stringify(document, null, 2);
}

/** A text of JSON is a text of TOML too. */
function toml({ command, args, env }: ServerCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    '[mcp_servers.pit]',
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((word) => JSON.stringify(word)).join(', ')}]`,
    ...(variables.length === 0 ? [] : [`env = { ${variables.join(', ')} }`]),
  ].join('\n');
}

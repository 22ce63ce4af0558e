import { fileURLToPath } from 'node:url';
import { systemHost } from '../../../../src/platform/host.js';
import { ensureSandbox, resetSandbox, sandboxStatus, stopSandbox } from '../../../../src/sandbox/lifecycle/control.js';
import { locate } from '../../../../src/sandbox/lifecycle/files.js';
import { startSandbox } from '../../../../src/sandbox/lifecycle/serve.js';

/** A pit of nothing but the sandbox's life: its first argument is what to do. The answer is one line of JSON. */
const host = systemHost();

async function serve(): Promise<void> {
  const running = await startSandbox(host, launch('serve'), { limits: false });
  if (running === undefined) return;
  host.onInterrupt(() => running.close());
  say(running.address);
  await running.closed;
}

function launch(action: string) {
  return { command: process.execPath, args: [...process.execArgv, fileURLToPath(import.meta.url), action] };
}

const actions: Readonly<Record<string, () => Promise<void>>> = {
  serve,
  ensure: async () => say(await ensureSandbox(host, launch('serve'))),
  'ensure-broken': async () => say(await ensureSandbox(host, launch('break'))),
  locate: async () => say(locate(host) ?? null),
  status: async () => say((await sandboxStatus(host)) ?? null),
  stop: async () => say(await stopSandbox(host)),
  reset: async () => say(await resetSandbox(host)),
};

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

try {
  await (actions[process.argv[2] ?? ''] ?? Promise.reject.bind(Promise, new Error('a start that fails')))();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 5;
}

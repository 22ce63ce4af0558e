import { reportFailure, reportNodeWarning, runAndReport } from './cli/run.js';
import { PROGRAM } from './commands/index.js';
import { endSoon, type Host, reportUncaught, systemHost } from './platform/host.js';

/**
 * What pit runs for its own processes, by the first word of the command line. The word is ignored unless the environment
 * variable with its input is set.
 */
const INTERNAL: Readonly<Record<string, { readonly variable: string; run(host: Host): Promise<void> }>> = {
  '--update-check': {
    variable: 'PIT_UPDATE_URL',
    run: async (host) => (await import('./commands/session/update-check.js')).checkForUpdate(host),
  },
};

/** Runs the command line of a host, by default the system's, and returns the exit code. */
export async function main(host?: Host): Promise<number> {
  if (host !== undefined) return runOn(host);
  const code = await runOn(ownProcess());
  endSoon(code);
  return code;
}

async function runOn(host: Host): Promise<number> {
  const [first = ''] = host.arguments;
  const internal = Object.hasOwn(INTERNAL, first) ? INTERNAL[first] : undefined;
  if (internal === undefined || host.environment[internal.variable] === undefined) return runAndReport(host, PROGRAM);
  await internal.run(host);
  return 0;
}

function ownProcess(): Host {
  const host = systemHost();
  reportUncaught((thrown) => reportFailure(thrown, host));
  process.on('warning', (warning) => reportNodeWarning(warning, host));
  return host;
}

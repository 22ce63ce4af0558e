import { reportFailure, runAndReport } from './cli/run.js';
import { PROGRAM } from './commands/index.js';
import { endSoon, type Host, reportUncaught, systemHost } from './platform/host.js';

/** Runs the command line of a host, by default the system's, and returns the exit code. */
export async function main(host?: Host): Promise<number> {
  if (host !== undefined) return runAndReport(host, PROGRAM);
  const code = await runAndReport(ownProcess(), PROGRAM);
  endSoon(code);
  return code;
}

function ownProcess(): Host {
  const host = systemHost();
  reportUncaught((thrown) => reportFailure(thrown, host));
  return host;
}

import { reportFailure, runAndReport } from './cli/run.js';
import { PROGRAM } from './commands/index.js';
import { endSoon, type Host, reportUncaught, systemHost } from './platform/host.js';

/** Runs the command line of a host, by default the system's, and returns the exit code. */
export async function main(host?: Host): Promise<number> {
  if (host !== undefined) return runAndReport(host, PROGRAM);
  const own = ownProcess();
  const code = isUpdateCheck(own) ? await askForUpdate(own) : await runAndReport(own, PROGRAM);
  endSoon(code);
  return code;
}

/** Whether another pit has started this one to ask for the newest version. */
function isUpdateCheck({ arguments: [first], environment }: Host): boolean {
  return first === '--update-check' && environment.PIT_UPDATE_URL !== undefined;
}

async function askForUpdate(host: Host): Promise<number> {
  const { checkForUpdate } = await import('./commands/session/update-check.js');
  await checkForUpdate(host);
  return 0;
}

function ownProcess(): Host {
  const host = systemHost();
  reportUncaught((thrown) => reportFailure(thrown, host));
  return host;
}

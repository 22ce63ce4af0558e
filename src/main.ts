import { type Program, report, runToEnd } from './cli/run.js';
import { commands, flagSynonyms, groups, SECTIONS, synonyms } from './commands/index.js';
import { openContext } from './commands/session/context.js';
import { endSoon, type Host, reportUncaught, systemHost } from './platform/host.js';

/** Everything that a command line may ask for. */
export const PROGRAM: Program = { commands, groups, synonyms, flagSynonyms, sections: SECTIONS, open: openContext };

/** Runs the command line of a host, by default the system's, and returns the exit code. */
export async function main(host?: Host): Promise<number> {
  if (host !== undefined) return runToEnd(host, PROGRAM);
  const code = await runToEnd(ownProcess(), PROGRAM);
  endSoon(code);
  return code;
}

function ownProcess(): Host {
  const host = systemHost();
  reportUncaught((thrown) => report(thrown, host));
  return host;
}

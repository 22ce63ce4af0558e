import { type Program, report, run } from './cli/run.js';
import { commands, flagSynonyms, groups, SECTIONS, synonyms } from './commands/index.js';
import { createContext } from './commands/session/context.js';
import { endSoon, type Host, reportUncaught, systemHost } from './platform/host.js';

/** Everything that a command line may ask for. */
export const PROGRAM: Program = { commands, groups, synonyms, flagSynonyms, sections: SECTIONS, createContext };

/** Runs the command line of a host, by default the system's, and returns the exit code. The only place that catches. */
export async function main(host?: Host): Promise<number> {
  if (host !== undefined) return exitCodeOf(host);
  const code = await exitCodeOf(ownProcess());
  endSoon(code);
  return code;
}

async function exitCodeOf(host: Host): Promise<number> {
  try {
    await run(host, PROGRAM);
    return 0;
  } catch (thrown) {
    return report(thrown, host);
  }
}

function ownProcess(): Host {
  const host = systemHost();
  reportUncaught((thrown) => report(thrown, host));
  return host;
}

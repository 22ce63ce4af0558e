import type { Context } from '../../cli/context.js';
import { dryChange } from '../../cli/dry-run.js';
import type { ClockReport } from '../../sandbox/admin/clock.js';
import type { Answer } from '../../terminal/answer.js';

/** Drives the sandbox's clock, and answers how it runs afterwards. */
export async function drive({ session, globals }: Context, name: string, input: object = {}): Promise<Answer> {
  if (globals.dryRun) return dryChange(`sandbox clock ${name}`, "Would change the sandbox's clock.");
  const report = (await session.administer(`POST /clock/${name}`, input)) as ClockReport;
  return { data: report, show: () => sentence(report) };
}

function sentence({ time, running, speed }: ClockReport): string {
  if (!running) return `The sandbox's clock stands at ${time}.`;
  const pace = speed === 1 ? 'as fast as time' : `${speed} times as fast as time`;
  return `The sandbox's clock shows ${time} and runs ${pace}.`;
}

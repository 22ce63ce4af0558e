import { version } from './version.js';

/** Runs pit and gives its exit code. The only place that catches. */
export async function main(): Promise<number> {
  const words = process.argv.slice(2);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { systemHost } = await import('./host.js');
  const host = systemHost();
  try {
    const { run } = await import('./commands/program.js');
    await run(host);
    return 0;
  } catch (thrown) {
    const { exitCodeOf } = await import('./report.js');
    return exitCodeOf(thrown, host);
  }
}

import { version } from './version.js';

/** Runs pit and gives its exit code. Everything but the version is in a file of its own, which costs more to load. */
export async function main(): Promise<number> {
  const words = process.argv.slice(2);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    // a reader that has gone wanted no more
    process.stdout.on('error', () => {});
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { pit } = await import('./pit.js');
  return pit();
}

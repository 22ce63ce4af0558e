import { version } from './version.js';

/** What `bin/pit.js` runs. It answers `--version` by itself: the program is in a file of its own, which costs more to load. */
export async function start(): Promise<number> {
  const words = process.argv.slice(2);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    // a reader that has gone wanted no more
    process.stdout.on('error', () => {});
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { main } = await import('./main.js');
  return main();
}

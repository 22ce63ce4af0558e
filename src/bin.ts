import { version } from './version.js';

/** The entry point of bin/pit.js. Answers --version without loading the program. */
export async function start(): Promise<number> {
  const words = process.argv.slice(2);
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
    // the reader closed the pipe
    process.stdout.on('error', () => {});
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { main } = await import('./main.js');
  return main();
}

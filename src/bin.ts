import { HELPER, serveKeychain } from './config/keychain-helper.js';
import { version } from './version.js';

/** The entry point of bin/pit.js. Answers --version without loading the program. */
export async function start(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    // the stream reports an error to the callback and as an event, and an event without a listener ends the process
    process.stdout.on('error', () => {});
    return new Promise((resolve) => process.stdout.write(`${version}\n`, (error) => resolve(exitCodeOf(error))));
  }
  if (args[0] === HELPER && process.connected) return serveKeychain();
  const { main } = await import('./main.js');
  return main();
}

/** A reader who closed the pipe, as `head` does, wanted no more. */
function exitCodeOf(error: NodeJS.ErrnoException | null | undefined): number {
  if (!error || error.code === 'EPIPE' || error.code === 'EOF') return 0;
  process.stderr.write(`pit: Cannot write to stdout: ${error.code}.\n`);
  return 1;
}

import { readFileSync } from 'node:fs';

/** Lets the test runner import a `.bin` file as its bytes, as a bundler does. */
export const binaryFiles = {
  name: 'binary-files',
  enforce: 'pre' as const,
  load(file: string) {
    return file.endsWith('.bin')
      ? `export default Buffer.from('${readFileSync(file, 'base64')}', 'base64');`
      : undefined;
  },
};

/** The first Node that builds an executable file by itself. */
export const OLDEST_NODE = [25, 5];

/** Ends the script if this Node cannot build the executable. */
export function requireNodeForExecutable() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`The executable file needs Node ${OLDEST_NODE.join('.')} or newer, and this is ${process.version}.`);
  process.exit(1);
}

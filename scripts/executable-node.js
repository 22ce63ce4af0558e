/** The first Node that builds an executable file by itself. */
export const OLDEST_NODE = [25, 5];

/** Ends the script if this Node cannot build the executable. */
export function requireNodeForExecutable() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`The executable file needs Node ${OLDEST_NODE.join('.')} or newer, and this is ${process.version}.`);
  process.exit(1);
}

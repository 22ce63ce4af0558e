/** The bytes of a file, which the bundler carries along. */
declare module '*.bin' {
  const bytes: Uint8Array;
  export default bytes;
}

/** Put in by the build from package.json. */
declare const PIT_VERSION: string;

export const version = PIT_VERSION;

/** The file with everything that an exchange consists of, within its directory. Apart, so that to name it loads no store. */
export const STORE_NAME = 'exchange.mdb';

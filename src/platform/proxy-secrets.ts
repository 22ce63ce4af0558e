/** The variables that name a proxy, as other programs know them, in the case that counts first. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/** What must not be shown of the proxies that an environment names: passwords, and what is sent for them. */
export function proxySecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  return PROXY_VARIABLES.flatMap((name) => secretsOf(environment[name] ?? ''));
}

function secretsOf(text: string): string[] {
  // whatever stands before the last @ is somebody's, also in a text that is no URL
  const [, login = ''] = /^(?:[a-z0-9+.-]+:\/\/)?(.*)@/i.exec(text) ?? [];
  if (login === '') return [];
  const [, password = ''] = /^[^:]*:(.*)$/.exec(login) ?? [];
  const plain = decoded(login);
  return [login, plain, password, decoded(password), Buffer.from(plain).toString('base64')];
}

/** The text without its percent-encoding; as it is where that is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

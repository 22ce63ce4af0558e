import { ACTIVE_PROFILE, type Advice, suggest } from '../../errors.js';

/** What refused TLS means, and what mends it. */
interface CertificateTrouble {
  readonly words: string;
  readonly mend: Advice;
}

const AUTHORITY: Advice = [
  suggest(
    'If a private authority signs for the host, trust it',
    'profile',
    'set',
    ACTIVE_PROFILE,
    'caFile',
    '/path/to/ca.pem',
  ),
  'Or name its PEM file in NODE_EXTRA_CA_CERTS. Otherwise somebody may be listening in.',
];

const unknownAuthority: CertificateTrouble = {
  words: "the host's certificate is signed by an authority that this machine does not know",
  mend: AUTHORITY,
};

/** By the codes that Node gives. */
const TROUBLES: Readonly<Record<string, CertificateTrouble>> = {
  CERT_HAS_EXPIRED: {
    words: "the host's certificate has expired",
    mend: "Check this machine's clock. If it is right, only the exchange can renew it.",
  },
  CERT_NOT_YET_VALID: {
    words: "the host's certificate is not valid yet",
    mend: "Check this machine's clock: it is probably slow.",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    words: "the host's certificate is signed by nobody but itself",
    mend: AUTHORITY,
  },
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    words: "the host's certificate is for another host name",
    mend: [
      suggest('Check how the host is written', 'profile', 'show'),
      'If it is right, something stands between you and the exchange.',
    ],
  },
  EPROTO: {
    words: 'the host does not speak TLS there',
    mend: suggest('Check the host and its port', 'profile', 'show'),
  },
  CERT_REVOKED: {
    words: "the host's certificate was revoked",
    mend: 'Send nothing there; ask the exchange.',
  },
};

/** The trouble that a code stands for; undefined where it is of something else. */
export function certificateTrouble(code: string): CertificateTrouble | undefined {
  const known = TROUBLES[code];
  if (known !== undefined) return known;
  if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/.test(code)) return undefined;
  return { words: "the host's certificate was not accepted", mend: AUTHORITY };
}

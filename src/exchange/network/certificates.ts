import { ACTIVE_PROFILE, type Advice, suggest } from '../../errors.js';

/** What a TLS error means, and how to fix it. */
interface CertificateFault {
  readonly message: string;
  readonly fix: Advice;
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
  'Or name its PEM file in NODE_EXTRA_CA_CERTS. If there is no such authority, somebody may be listening in.',
];

const unknownAuthority: CertificateFault = {
  message: "the host's certificate is signed by an authority this machine does not know",
  fix: AUTHORITY,
};

const noTls: CertificateFault = {
  message: 'the host does not speak TLS there',
  fix: suggest('Check the host and its port', 'profile', 'show'),
};

/** By Node's error codes. */
const FAULTS: Readonly<Record<string, CertificateFault>> = {
  CERT_HAS_EXPIRED: {
    message: "the host's certificate has expired",
    fix: "Check this machine's clock. If it is right, only the exchange can renew it.",
  },
  CERT_NOT_YET_VALID: {
    message: "the host's certificate is not valid yet",
    fix: "Check this machine's clock: it is probably slow.",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    message: "the host's certificate is self-signed",
    fix: AUTHORITY,
  },
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    message: "the host's certificate is for another host name",
    fix: [
      suggest('Check how the host is written', 'profile', 'show'),
      'If it is right, something stands between you and the exchange.',
    ],
  },
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  CERT_REVOKED: {
    message: "the host's certificate was revoked",
    fix: 'Send nothing there; ask the exchange.',
  },
};

/** What a code means; undefined if it is not about certificates. */
export function certificateFault(code: string): CertificateFault | undefined {
  const fault = FAULTS[code];
  if (fault !== undefined) return fault;
  if (code.startsWith('ERR_SSL_')) return { message: 'TLS could not be set up', fix: noTls.fix };
  if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/.test(code)) return undefined;
  return { message: 'certificate rejected', fix: AUTHORITY };
}

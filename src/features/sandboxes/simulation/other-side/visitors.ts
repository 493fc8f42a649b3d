import type { VisitorName } from '../scenario.ts'

/** Who loads pictures and follows links, as far as a request tells. */
export interface StagedVisitor {
  readonly ipAddress: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What they say of themselves, and where they come from: a person at a network that is nobody's (RFC 5737), Apple's proxy that loads
 * every picture of every mail, and a scanner in front of mail servers of companies.
 */
export const VISITORS: Readonly<Record<VisitorName, StagedVisitor>> = {
  person: {
    ipAddress: '198.51.100.23',
    headers: {
      'user-agent':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'accept-language': 'en-GB,en;q=0.9',
    },
  },
  privacy_proxy: { ipAddress: '172.224.226.34', headers: { 'user-agent': 'Mozilla/5.0' } },
  scanner: {
    ipAddress: '64.235.153.10',
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; Barracuda Sentinel (EE))' },
  },
}

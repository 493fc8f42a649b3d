import { tagsOf } from './dmarc-record.ts'

/** Where reports about TLS go (RFC 8460, 3). Null: nowhere, which is also so when there are several records. */
export function readTlsReportRecord(texts: readonly string[]): { readonly uris: readonly string[] } | null {
  const records = texts.map(tagsOf).filter(([version]) => version?.[0] === 'v' && version[1] === 'TLSRPTv1')
  if (records.length !== 1) return null
  const rua = records[0]!.find(([name]) => name === 'rua')?.[1] ?? ''
  const uris = rua.split(',').map((uri) => uri.trim())
  return { uris: uris.filter((uri) => /^(?:mailto:|https:)/i.test(uri)) }
}

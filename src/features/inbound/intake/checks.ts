import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type { ARCData } from 'mailauth'
import { arc as checkArc } from 'mailauth/lib/arc/index.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { spf as checkSpf } from 'mailauth/lib/spf/index.js'
import { withBoundedSignatures } from '../../../mail/signatures.ts'
import type { Authentication } from './authentication.ts'
import { checkDmarc } from './dmarc.ts'

/** What is checked: a message, who brought it, and whom it says it is from. */
export interface Checked {
  readonly raw: Uint8Array
  readonly clientAddress: string
  readonly helo: string
  readonly envelopeFrom: string
  /** As it is shown to whoever reads the message. */
  readonly from: string
  /** Of this server. */
  readonly hostname: string
}

/** What name servers say, in the form of Node's resolver. */
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>

/** Asks SPF, DKIM, DMARC and ARC about a message. Runs in a thread: all of it but the addresses is untrusted. */
export async function check(checked: Checked, resolver: Resolve): Promise<Authentication> {
  const { clientAddress: ip, envelopeFrom: sender } = checked
  const options = { resolver, strict: true }
  const raw = withBoundedSignatures(Buffer.from(checked.raw.buffer, checked.raw.byteOffset, checked.raw.length))
  // In one piece: in pieces of 64 kB, as it cuts a buffer, the library puts each line together anew with each of them (40 MB: 90 s).
  const {
    results,
    headerFrom,
    fromFields,
    arc: arcData,
  } = await dkimVerify(Readable.from([raw]), {
    ...options,
    sender,
  })
  const spf = await checkSpf({ ...options, ip, sender, helo: heloOf(checked), mta: checked.hostname })
  const arc = await checkArc(arcData as ARCData, { ...options, ip })
  // A message without signatures has one result that is about none.
  const dkim = results
    .filter(({ signingDomain }) => signingDomain)
    .map((one) => ({ result: signatureResult(one), domain: one.signingDomain!, selector: textOf(one.selector) }))
  const passed = dkim.filter(({ result }) => result === 'pass').map(({ domain }) => domain)
  const spfResult = resultOf(spf)
  const spfDomain = textOf(spf?.domain)
  const authors = { addresses: headerFrom, fields: fromFields, shown: checked.from }
  const identities = { spf: spfResult === 'pass' ? spfDomain : null, dkim: passed }
  return {
    spf: { result: spfResult, domain: spfDomain },
    dkim,
    dmarc: await checkDmarc(authors, identities, resolver),
    arc: { result: coversAll(arcData?.lastEntry?.messageSignature) ? resultOf(arc) : 'fail' },
  }
}

const heloOf = ({ helo, clientAddress }: Checked) => {
  const name = helo || clientAddress
  return isIP(name) ? `[${name}]` : name
}

interface Signature {
  readonly status?: { readonly result?: unknown; readonly underSized?: number }
}

/**
 * A signature may cover the beginning of a body only (`l=`), and anybody who has such a message can send it on with a text of their own
 * behind it. Where there is more than was signed it is not accepted: `policy`, in the words of RFC 8601, and nothing for DMARC.
 */
function signatureResult(signature: Signature): string {
  const result = resultOf(signature)
  return result === 'pass' && !coversAll(signature) ? 'policy' : result
}

const coversAll = (signature: unknown) => !((signature as Signature | undefined)?.status?.underSized ?? 0)

const resultOf = (checked: unknown): string =>
  textOf((checked as Signature | null | undefined)?.status?.result) ?? 'none'

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

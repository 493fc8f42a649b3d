import { hash as hashAtOnce, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { toAsciiDomain } from './address.ts'
import { bodyHash } from './dkim/body-hash.ts'
import { relaxed, signedHeaders } from './dkim/header-fields.ts'
import { foldPieces } from './mime/header-line.ts'
import { atOnce, type Steps } from './steps.ts'

/** Whose name is put under a message, and with which key. */
export interface DkimSigner {
  readonly domain: string
  readonly selector: string
  /** Never a PEM: each signature would parse it again, which takes nearly as long as signing. */
  readonly key: KeyObject
}

const signInThreadPool = promisify(sign)

const ALGORITHMS = {
  rsa: {
    name: 'rsa-sha256',
    // 3.5 ms for RSA-2048: long enough to be worth a thread of the pool.
    signatureOf: (content: Buffer, key: KeyObject) => signInThreadPool('sha256', content, key),
    publicKey: (key: KeyObject) => key.export({ type: 'spki', format: 'der' }),
  },
  // RFC 8463 signs the hash as if it were the message, and publishes the bare key without the wrapping that says what it is.
  ed25519: {
    name: 'ed25519-sha256',
    signatureOf: (content: Buffer, key: KeyObject) => sign(null, hashAtOnce('sha256', content, 'buffer'), key),
    publicKey: (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).subarray(-32),
  },
}

/** Whether signing takes long enough to be worth a thread: whoever waits for it lets others go on. */
export const signsInThreadPool = (signers: readonly DkimSigner[]) =>
  signers.some(({ key }) => key.asymmetricKeyType === 'rsa')

/**
 * The `DKIM-Signature` headers to put in front of the message (RFC 6376, relaxed/relaxed), one for each signer. The message has
 * CRLF line ends, as `buildMime` makes it; what all signers have in common is worked out once. They are known at once unless
 * `signsInThreadPool`, or `run` takes its time.
 */
export function signDkim(
  message: Buffer,
  signers: readonly DkimSigner[],
  {
    date,
    run = atOnce,
  }: { readonly date: Date; readonly run?: <Result>(steps: Steps<Result>) => Result | Promise<Result> },
): Buffer | Promise<Buffer> {
  const headerEnd = message.indexOf('\r\n\r\n')
  const hash = run(bodyHash(headerEnd < 0 ? Buffer.alloc(0) : message.subarray(headerEnd + 4)))
  const block = message.subarray(0, headerEnd < 0 ? message.length : headerEnd)
  if (typeof hash === 'string') return signHeaders({ block, hash }, signers, date)
  return hash.then((known) => signHeaders({ block, hash: known }, signers, date))
}

/** The same of a message whose body hash is known already. The block is its headers, without the last line end. */
export function signHeaders(
  { block, hash }: { readonly block: Buffer; readonly hash: string },
  signers: readonly DkimSigner[],
  date: Date,
): Buffer | Promise<Buffer> {
  const { names, canonical } = signedHeaders(block)
  const signedAt = Math.floor(date.getTime() / 1_000)

  const headers = signers.map(({ domain, selector, key }) => {
    const { name, signatureOf } = algorithmOf(key)
    const tags = [`a=${name};`, 'c=relaxed/relaxed;', `d=${toAsciiDomain(domain)};`, `s=${selector};`, `t=${signedAt};`]
    const pieces = ['v=1;', ...tags.map((tag) => ` ${tag}`), ...headerList(names), ` bh=${hash};`, ' b=']
    const unsigned = foldPieces('DKIM-Signature', pieces).trimEnd()
    const signature = signatureOf(Buffer.from(canonical + relaxed(unsigned), 'latin1'), key)
    const spelled = (bytes: Buffer) => `${unsigned}${bytes.toString('base64').replace(/.{1,75}/g, '\r\n $&')}\r\n`
    return signature instanceof Promise ? signature.then(spelled) : spelled(signature)
  })
  const joined = (known: readonly string[]) => Buffer.from(known.join(''), 'latin1')
  return headers.every((header) => typeof header === 'string') ? joined(headers) : Promise.all(headers).then(joined)
}

/** The TXT record under which receivers find the key. */
export function dkimRecord(publicKey: KeyObject): string {
  const bytes = algorithmOf(publicKey).publicKey(publicKey)
  return `v=DKIM1; k=${publicKey.asymmetricKeyType}; p=${bytes.toString('base64')}`
}

function algorithmOf(key: KeyObject) {
  if (key.asymmetricKeyType === 'rsa') return ALGORITHMS.rsa
  if (key.asymmetricKeyType === 'ed25519') return ALGORITHMS.ed25519
  throw new Error(`DKIM has no signatures with ${key.asymmetricKeyType ?? key.type} keys`)
}

/** `h=` in lines of its own: there is no white space in it to fold at. */
function headerList(names: readonly string[]): string[] {
  const lines = [' h=']
  for (const [i, name] of names.entries()) {
    const item = `${name}${i === names.length - 1 ? ';' : ':'}`
    if (lines.at(-1)!.length + item.length > 76) lines.push(' ')
    lines[lines.length - 1] += item
  }
  return lines
}

import { createPublicKey } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type DkimSigner, dkimRecord } from '../dkim.ts'

/** What another implementation says to each signature on the message, asked as strictly as it can be: `['pass', 'pass']`. */
export async function verdictsOn(message: Buffer, signers: readonly DkimSigner[]): Promise<string[]> {
  const records = new Map(
    signers.map(({ domain, selector, key }) => [`${selector}._domainkey.${domain}`, dkimRecord(createPublicKey(key))]),
  )
  const { results } = await dkimVerify(message, {
    strict: true,
    minBitLength: 2_048,
    resolver: async (name: string) => [[records.get(name) ?? '']],
  })
  return results.map(({ status }) => status.result)
}

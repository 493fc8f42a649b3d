import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { signDkim } from '../dkim.ts'
import { buildMime } from '../mime.ts'
import { ED25519, type GoldenCase, messageOf, RSA, stampOf } from './golden-case.ts'
import { verdictsOn } from './verify.ts'
import { faultsOf } from './wire-faults.ts'

// A pair NAME.json and NAME.eml is a test. UPDATE_GOLDEN=1 writes the .eml: read what changed before it is committed.
const here = (file: string) => new URL(file, import.meta.url)
const names = readdirSync(here('.')).flatMap((file) => (file.endsWith('.json') ? [basename(file, '.json')] : []))

describe.each(names)('%s', (name) => {
  const golden = JSON.parse(readFileSync(here(`${name}.json`), 'utf8')) as GoldenCase
  const stamp = stampOf(golden)
  const mime = buildMime(messageOf(golden), stamp)

  test(golden.about, async () => {
    const signed = Buffer.concat([await signDkim(mime, [RSA, ED25519], stamp), mime])

    if (process.env.UPDATE_GOLDEN) writeFileSync(here(`${name}.eml`), signed)
    expect(signed.toString('latin1')).toBe(readFileSync(here(`${name}.eml`), 'latin1'))
    expect(await verdictsOn(signed, [RSA, ED25519])).toEqual(['pass', 'pass'])
    expect(faultsOf(signed)).toEqual([])
  })
})

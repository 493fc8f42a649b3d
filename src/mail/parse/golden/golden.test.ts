import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseMail, readHeaderFields } from '../../parse.ts'
import type { ParsedMail } from '../../parsed.ts'

// A pair NAME.eml and NAME.json is a test. UPDATE_GOLDEN=1 writes what is expected: read what changed before it is committed.
const here = (file: string) => new URL(file, import.meta.url)
const names = readdirSync(here('.')).flatMap((file) => (file.endsWith('.json') ? [basename(file, '.json')] : []))

/** Files by what they are, which is shorter than what is in them. */
function written({ attachments, date, ...mail }: ParsedMail) {
  const files = attachments.map(({ content, ...about }) => ({
    ...about,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }))
  return { ...mail, date: date?.toISOString() ?? null, attachments: files }
}

describe.each(names)('%s', (name) => {
  const golden = JSON.parse(readFileSync(here(`${name}.json`), 'utf8')) as { about: string; mail: unknown }
  const raw = readFileSync(here(`${name}.eml`))

  test(golden.about, async () => {
    const mail = await parseMail(raw)

    const pair = { about: golden.about, mail: written(mail) }
    if (process.env.UPDATE_GOLDEN) writeFileSync(here(`${name}.json`), `${JSON.stringify(pair, null, 2)}\n`)
    else expect(pair.mail).toEqual(golden.mail)
    expect(mail).toMatchObject(readHeaderFields(raw))
  })
})

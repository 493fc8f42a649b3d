import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseMail } from '../../parse.ts'
import { bounceTypeOf } from '../../replies/diagnostic.ts'
import { type Report, readReport } from '../../report.ts'

// A pair NAME.eml and NAME.json is a test. UPDATE_GOLDEN=1 writes what is expected: read what changed before it is committed.
const here = (file: string) => new URL(file, import.meta.url)
const names = readdirSync(here('.')).flatMap((file) => (file.endsWith('.json') ? [basename(file, '.json')] : []))

/** What the failures come to, in the words of our events. */
function bouncesOf(report: Report | null): string[] {
  if (report?.kind !== 'bounce') return []
  return report.recipients.flatMap(({ action, status, diagnostic }) => {
    const { type, subType } = bounceTypeOf(status, diagnostic)
    return action === 'failed' ? [`${type} ${subType}`] : []
  })
}

describe.each(names)('%s', (name) => {
  const golden = JSON.parse(readFileSync(here(`${name}.json`), 'utf8')) as { about: string }
  const raw = readFileSync(here(`${name}.eml`))

  test(golden.about, async () => {
    const report = readReport(await parseMail(raw), raw)

    const pair = { about: golden.about, report, bounces: bouncesOf(report) }
    if (process.env.UPDATE_GOLDEN) writeFileSync(here(`${name}.json`), `${JSON.stringify(pair, null, 2)}\n`)
    else expect(pair).toEqual(golden)
  })
})

import { note } from '../progress.ts'
import { printReport, type Row } from '../report.ts'
import { claims } from './claims.ts'
import { DROPPED_AGE_DAYS, dropDay } from './drop.ts'
import { fill, lastDays, settle } from './fill.ts'
import { accepting, delivering } from './mail-flow.ts'
import { makePastPeriods } from './periods.ts'
import { askBoth } from './questions.ts'
import { bytesOfEmail } from './sizes.ts'
import { type Outside, type Stage, send, startOutside, startStage } from './stage.ts'

/**
 * Sent through the API to both databases, and what the others are copies of. So many that a page is full in both: with 400 of them what one email in fifty fits
 * was a page of eight against one of twenty, and what was compared were their lengths.
 */
const TEMPLATES = 4_000

/** Of those that compare an empty database with a filled one. */
const PARTS = ['lists', 'accept', 'deliver', 'claims']

/** Emails of the day that is dropped. */
const MAX_DROPPED = 1_000_000

interface DepthOptions {
  readonly emails: number
  /** Over so many days, up to now. */
  readonly days: number
  /** Set: the filled database stays here, and is asked again in the next run. */
  readonly dataDir?: string | undefined
  /** Which parts (bytes, lists, accept, deliver, claims, drop); none: all of them. */
  readonly names: readonly string[]
  readonly isForMachines: boolean
}

/** What an email takes on disk, and what everything costs with millions of them in the tables, against a database with a few hundred. */
export async function depth({ emails, days, dataDir, names, isForMachines }: DepthOptions) {
  const wants = (name: string) => names.length === 0 || names.includes(name)
  const outside = await startOutside()
  const rows: Row[] = []
  if (wants('bytes')) rows.push(...(await bytesOfEmail(outside)))
  if (PARTS.some(wants)) {
    const pastDays = days + 7
    const empty = await prepared('empty', outside, { pastDays })
    const deep = await prepared('deep', outside, { pastDays, kept: dataDir })
    for (const stage of [empty, deep]) await stage.restart('api')
    await settle(empty)
    if (deep.isNew) await fill(deep, emails, lastDays(days))
    if (wants('lists')) rows.push(...(await askBoth(empty, deep)))
    if (wants('accept')) rows.push(...(await accepting(empty, deep)))
    if (wants('deliver')) rows.push(...(await delivering(empty, deep)))
    if (wants('claims')) {
      for (const stage of [empty, deep]) await stage.restart('api')
      rows.push(...(await claims(empty, deep)))
    }
    for (const stage of [empty, deep]) await stage.stop()
  }
  if (wants('drop')) {
    const stage = await prepared('drop', outside, { pastDays: DROPPED_AGE_DAYS + 1 })
    rows.push(...(await dropDay(stage, Math.min(emails, MAX_DROPPED))))
    await stage.stop()
  }
  await outside.sink.stop()
  await outside.receiver.stop()
  note('')
  printReport(rows, isForMachines)
}

/** With the periods of the time that is filled, and with the emails that the others are copies of. */
async function prepared(
  name: string,
  outside: Outside,
  { kept, pastDays }: { kept?: string | undefined; pastDays: number },
): Promise<Stage> {
  const stage = await startStage(name, outside, kept)
  if (!stage.isNew) return stage
  await makePastPeriods(stage.database, pastDays)
  await send(stage, TEMPLATES)
  return stage
}

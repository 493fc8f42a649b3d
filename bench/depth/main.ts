import { note } from '../progress.ts'
import { printReport, type Row } from '../report.ts'
import { fill, settle } from './fill.ts'
import { askBoth } from './questions.ts'
import { bytesOfEmail } from './sizes.ts'
import { send, startOutside, startStage } from './stage.ts'

/** Sent through the API, and what the others are copies of. */
const TEMPLATES = 400

interface DepthOptions {
  readonly emails: number
  /** Which parts; none: all of them. */
  readonly names: readonly string[]
  readonly isForMachines: boolean
}

/** What an email takes on disk, and what everything costs with millions of them in the tables, against a database with a few hundred. */
export async function depth({ emails, names, isForMachines }: DepthOptions) {
  const wants = (name: string) => names.length === 0 || names.includes(name)
  const outside = await startOutside()
  const rows: Row[] = []
  if (wants('bytes')) rows.push(...(await bytesOfEmail(outside)))
  if (wants('lists')) {
    const empty = await startStage('empty', outside)
    const deep = await startStage('deep', outside)
    for (const stage of [empty, deep]) await send(stage, TEMPLATES)
    for (const stage of [empty, deep]) await stage.restart('api')
    await settle(empty)
    await fill(deep, emails)
    rows.push(...(await askBoth(empty, deep)))
    for (const stage of [empty, deep]) await stage.stop()
  }
  await outside.sink.stop()
  await outside.receiver.stop()
  note('')
  printReport(rows, isForMachines)
}
